/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of terms, added to the digits of a block (kernel/lanes.h) by error-free pre-rounding on the
 * grid of the digits, with the method of kernel/pass.h. All rows between _begin and _end are added
 * exactly, or none is.
 *
 * Every instruction set gives the same lanes, and the same answers. Terms need no alignment. The
 * caller has set the default floating-point environment (kernel/fpenv.h). */
#pragma once

#include "kernel/lanes.h"

enum {
    SUMMAND__ROWS_BITS = 40,    /* of a digit */
    SUMMAND__ROWS_DIGITS = 3,   /* at most, here */
    SUMMAND__ROWS_MOST = 1024,  /* rows from begin to end: rests of half a unit fill 2^49 units */
    SUMMAND__ROWS_TERMS = 2048, /* they add less than so many terms of 2^BITS to a digit */
    SUMMAND__ROWS_GROUP = 8     /* rows that `add` reads side by side: give it as many at a time */
};

/* The sums of a block while rows are added. */
struct summand__rows {
    _Alignas(64) double acc[SUMMAND__ROWS_DIGITS][SUMMAND__LANES_BLOCK];
    /* Bits that differ from the start's binade; bits of rests. */
    _Alignas(64) int64_t left[8], rest[8];
    double start[SUMMAND__ROWS_DIGITS];
    int digits;
};

/* Adds rows of n elements, n <= SUMMAND__LANES_BLOCK, that begin `lead` elements apart. */
typedef void summand__rows_add_run(struct summand__rows *rows, const void *x, size_t count,
                                   size_t lead, size_t n);

struct summand__rows_kernels {
    void (*begin)(struct summand__rows *rows, const struct summand__lanes_format *format, size_t n);
    summand__rows_add_run *add[SUMMAND__LANES_TYPES];
    /* Adds the sums to lanes. False, and the lanes are as before, if a term had bits outside the
     * format or was not finite. A special lane is not touched, and -0.0 counts as +0.0. */
    bool (*end)(const struct summand__rows *rows, size_t n, int64_t *lanes);
};

/* The table of summand__arch(). */
const struct summand__rows_kernels *summand__rows_kernels(void);

/* True if the kernels take the format: 1 to 3 digits of BITS, and doubles for their accumulators.
 */
bool summand__rows_takes(const struct summand__lanes_format *format);

extern const struct summand__rows_kernels summand__rows_generic;
extern const struct summand__rows_kernels summand__rows_avx2;
extern const struct summand__rows_kernels summand__rows_avx512;
extern const struct summand__rows_kernels summand__rows_neon;
