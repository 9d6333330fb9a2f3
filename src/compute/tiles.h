/* SPDX-License-Identifier: BSD-3-Clause */
/* The local part of a move of a matrix: computations that pack, unpack or transpose the elements
 * that two arrays have in common. */
#pragma once

#include "compute/combs.h"
#include "schedule/compute.h"

/* An array of columns, `lead` elements from one to the next, in a place of a schedule. */
struct summand__columns {
    uint32_t place;
    size_t first, lead;
};

/* Appends steps that copy all rows and columns of the combs. Arrays are stored by columns, so the
 * rows of a rectangle are columns of the matrix. A rectangle is either as wide as a run of rows,
 * over many columns, or has all runs of rows of one column. The choice with fewer steps is used: a
 * step costs about 300 bytes of the plan, and about 50 ns besides its elements. */
void summand__tiles_copy(struct summand__schedule *schedule, const struct summand__combs *rows,
                         const struct summand__combs *columns, struct summand__columns from,
                         struct summand__columns to);

/* The same, transposed: rows and columns are those of `from`; `to` has them as its columns and
 * rows. */
void summand__tiles_transpose(struct summand__schedule *schedule, const struct summand__combs *rows,
                              const struct summand__combs *columns, struct summand__columns from,
                              struct summand__columns to);

/* True if the rows and columns are contiguous in an array with that lead, in the order of a
 * message. The array is their source if `sends`, else their target. Then `first` is the first
 * element. */
bool summand__tiles_contiguous(const struct summand__combs *rows,
                               const struct summand__combs *columns, bool sends, size_t lead,
                               size_t *first);
