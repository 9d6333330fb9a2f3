/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of the index tree: the balanced binary tree over 2^level consecutive elements.
 *
 * Every instruction set computes the same bits, because a tree fixes each addition. NaN payloads
 * and signs may differ; code that shows a result makes NaNs canonical. The caller has set the
 * default floating-point environment (kernel/fpenv.h). */
#pragma once

#include <stddef.h>

#include "kernel/arch.h"

/* The leaves and the operator that combines them. min(a, b) is (a < b) ? a : b, max likewise. */
enum summand__tree_kind {
    SUMMAND__TREE_SUM,     /* x[i]           + */
    SUMMAND__TREE_ASUM,    /* |x[i]|         + */
    SUMMAND__TREE_SQUARES, /* x[i] * x[i]    +, product rounded */
    SUMMAND__TREE_DOT,     /* x[i] * y[i]    +, product rounded */
    SUMMAND__TREE_MIN,
    SUMMAND__TREE_MAX,
    SUMMAND__TREE_PROD,
    SUMMAND__TREE_KINDS
};

/* Only DOT reads y, which may be NULL otherwise. level 0: one leaf. Pointers need no alignment. */
typedef double summand__tree_f64(const double *x, const double *y, unsigned level);
typedef float summand__tree_f32(const float *x, const float *y, unsigned level);

struct summand__tree_kernels {
    summand__tree_f64 *f64[SUMMAND__TREE_KINDS];
    summand__tree_f32 *f32[SUMMAND__TREE_KINDS];
};

/* The table of summand__arch(). */
const struct summand__tree_kernels *summand__tree_kernels(void);
