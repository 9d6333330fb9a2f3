/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of columns: rows of terms, added to the digits of a block (kernel/lanes.h) by error-free
 * pre-rounding on the grid of the digits, with the method of kernel/pass.h. An element's digits are
 * accumulators in registers for some rows; all is exact, or nothing is added.
 *
 * Every instruction set gives the same lanes, and the same answers. Terms need no alignment. The
 * caller has set the default floating-point environment (kernel/fpenv.h). */
#ifndef SUMMAND_KERNEL_COLUMNS_H
#define SUMMAND_KERNEL_COLUMNS_H

#include "kernel/lanes.h"

enum {
    SUMMAND__COLUMNS_BITS = 40,   /* of a digit */
    SUMMAND__COLUMNS_DIGITS = 3,  /* at most, here */
    SUMMAND__COLUMNS_ROWS = 1024, /* of a call, at most: rests of half a unit fill 2^49 units */
    SUMMAND__COLUMNS_TERMS = 2048 /* a call adds less than so many terms of 2^BITS to a digit */
};

/* Adds rows of n elements, n <= SUMMAND__LANES_BLOCK, that begin `lead` elements apart. False, and
 * the lanes are as before, if a term has bits outside the format or is not finite. A special lane
 * is not touched, and -0.0 counts as +0.0. */
typedef bool summand__columns_run(const void *x, size_t rows, size_t lead, size_t n,
                                  const struct summand__lanes_format *format, int64_t *lanes);

struct summand__columns_kernels {
    summand__columns_run *run[SUMMAND__LANES_TYPES];
};

/* The table of summand__arch(). */
const struct summand__columns_kernels *summand__columns_kernels(void);

/* True if the kernels take the format: 1 to 3 digits of BITS, and doubles for their accumulators.
 */
bool summand__columns_takes(const struct summand__lanes_format *format);

extern const struct summand__columns_kernels summand__columns_generic;
extern const struct summand__columns_kernels summand__columns_avx2;
extern const struct summand__columns_kernels summand__columns_avx512;
extern const struct summand__columns_kernels summand__columns_neon;

#endif
