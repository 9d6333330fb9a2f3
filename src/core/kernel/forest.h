/* SPDX-License-Identifier: BSD-3-Clause */
/* The index tree over a part of the elements: the values of the maximal aligned subtrees of a
 * contiguous range of global indices (levels and positions: shape/dyadic.h). Also the final fold:
 * one value from the subtrees of a whole range.
 *
 * The forests and the fold run in the default floating-point environment, whatever the caller has
 * set. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/tree.h"

/* x [in]: the elements of global index start .. start + count - 1; x[0] is element `start`.
 * y [in]: likewise for DOT; NULL otherwise. Neither is read beyond its `count` elements.
 * values [out]: room for SUMMAND__DYADIC_MAX; filled from left to right. Returns their number.
 * start + count must not exceed 2^63. */
size_t summand__forest_f64(enum summand__tree_kind kind, const double *x, const double *y,
                           uint64_t start, size_t count, double *values);
size_t summand__forest_f32(enum summand__tree_kind kind, const float *x, const float *y,
                           uint64_t start, size_t count, float *values);

/* The root of [0, N) from the n >= 1 values of its subtrees. They are combined from the right,
 * because a node without a right child has its left child's value (eq. 2.1 of the thesis of C.
 * Stelz, 2022). */
double summand__tree_fold_f64(enum summand__tree_kind kind, const double *values, size_t n);
float summand__tree_fold_f32(enum summand__tree_kind kind, const float *values, size_t n);
