/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact sums of the columns of one rank's rows, or of terms that arrive over time: the rank's share
 * of an exact sum of vectors (kernel/lanes.h). No row is kept, and the range of the terms need not
 * be known.
 *
 * Rows go through pre-rounded levels of floating-point numbers at about the price of a plain sum,
 * up to SWEEP_ROWS at a time, if their exponents are within SWEEP_SPAN bits. Others are added digit
 * by digit. Lanes of a block grow with what is added.
 *
 * Local. The caller has set the default floating-point environment. Memory: 8 bytes a column, and
 * 8 for every DIGIT bits between the lowest and the highest bit that was added to its block. */
#ifndef SUMMAND_KERNEL_COLUMNS_H
#define SUMMAND_KERNEL_COLUMNS_H

#include "kernel/lanes.h"

enum {
    SUMMAND__COLUMNS_DIGIT = 44, /* bits of a digit here: 2^18 terms before a carry */
    SUMMAND__COLUMNS_CARRY = 1 << 17
};

struct summand__columns_block {
    struct summand__lanes_format format;
    int64_t *lanes;
    uint32_t added; /* to a digit since the last carry */
    int top;        /* of a guess for the next rows */
};

struct summand__columns {
    enum summand__lanes_type type;
    size_t n, rows; /* columns; rows or terms that were added */
    struct summand__columns_block *blocks;
};

/* Empty sums of n columns; false without memory. */
bool summand__columns_init(struct summand__columns *columns, enum summand__lanes_type type,
                           size_t n);
void summand__columns_free(struct summand__columns *columns);

/* Adds rows of n terms that begin ld >= n elements apart. False without memory; then only free is
 * allowed. */
bool summand__columns_add(struct summand__columns *columns, const void *x, size_t rows, size_t ld);

/* Adds values[i] to column index[i] < n. */
bool summand__columns_scatter(struct summand__columns *columns, size_t count, const size_t *index,
                              const void *values);

/* The exact sums, each rounded once; +0.0 if nothing was added. */
void summand__columns_round(struct summand__columns *columns, void *y);

/* The sums of block b, SUMMAND__LANES_BLOCK columns or fewer, as a share: their range, and their
 * lanes in a format; false if one does not fit. */
void summand__columns_range(struct summand__columns *columns, size_t b,
                            struct summand__lanes_range *range);
bool summand__columns_encode(struct summand__columns *columns, size_t b,
                             const struct summand__lanes_format *format, int64_t *lanes);

#endif
