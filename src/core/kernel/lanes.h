/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact sums of vectors in lanes of 64-bit integers. Integers add without rounding, so any schedule
 * may add the lanes of ranks in any order.
 *
 * A block of elements shares a format. A term is an integer multiple of 2^lowest, in `digits`
 * digits of `bits` bits: value = sum over i of digit[i] 2^(lowest + bits i). Lanes of a block of n
 * elements are digit-major: digit i of element j is lanes[i n + j]. If the format has `special`,
 * one more lane follows the digits. Special values and signed
 * zeros are those of summand/exact.h. Blocks are fastest if they follow each other in memory, as
 * kernels prefetch the next one.
 *
 * Every instruction set gives the same bits, lanes included. Terms and results need no alignment,
 * lanes that of an int64_t; they must not overlap. The caller has set the default floating-point
 * environment (kernel/fpenv.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/arch.h"
#include "kernel/lanes_check.h"

enum summand__lanes_type {
    SUMMAND__LANES_F64,
    SUMMAND__LANES_F32,
    SUMMAND__LANES_F16,  /* IEEE binary16 */
    SUMMAND__LANES_BF16, /* the upper half of a binary32 */
    SUMMAND__LANES_TYPES
};

enum {
    SUMMAND__LANES_BLOCK = 256, /* elements that share a format */
    SUMMAND__LANES_NONE = INT16_MIN,
    SUMMAND__LANES_BITS_LEAST = 32,
    SUMMAND__LANES_BITS_MOST = 61,
    /* A digit may grow to less than 2^CAPACITY: 2^(CAPACITY - bits) shares of ranks, or terms. */
    SUMMAND__LANES_CAPACITY = 62,
    SUMMAND__LANES_RANKS_LOG2_MOST = 20 /* of one special lane: three counters of 21 bits */
};

/* What is in a block. The range of several blocks or ranks is the maximum of each member. */
struct summand__lanes_range {
    int64_t top;     /* finite terms are below 2^top in magnitude, at least one not below
                        2^(top - 1); NONE if there is none but zeros */
    int64_t low;     /* minus the exponent of the lowest set bit of a finite term; NONE likewise */
    int64_t special; /* 1 if there is an infinity, a NaN or a -0.0; else 0 */
};

#define SUMMAND__LANES_RANGE_NONE                                                                  \
    (struct summand__lanes_range)                                                                  \
    {                                                                                              \
        SUMMAND__LANES_NONE, SUMMAND__LANES_NONE, 0                                                \
    }

struct summand__lanes_format {
    int16_t lowest;  /* exponent of the lowest bit of digit 0, from -1074 to 1023; any in plain C */
    int16_t top;     /* terms must be below 2^top in magnitude; top <= lowest + digits bits */
    uint8_t digits;  /* 0: all terms are zeros */
    uint8_t bits;    /* of a digit, BITS_LEAST to BITS_MOST: a rank's share has |digit| < 2^bits */
    uint8_t special; /* 1: a special lane follows; else infinities, NaNs and -0.0 do not fit */
};

/* The special lane's counters: ranks that have +Inf or NaN; -Inf or NaN; no term but -0.0. */
#define SUMMAND__LANES_PLUS (INT64_C(1) << 0)
#define SUMMAND__LANES_MINUS (INT64_C(1) << 21)
#define SUMMAND__LANES_MINUS_ZEROS (INT64_C(1) << 42)

/* The narrowest format for the terms of a range. Without terms it has no digits. */
struct summand__lanes_format summand__lanes_format(const struct summand__lanes_range *range,
                                                   unsigned bits);

/* Blocks of n elements. */
static inline size_t summand__lanes_blocks(size_t n)
{
    return n / SUMMAND__LANES_BLOCK + (n % SUMMAND__LANES_BLOCK > 0);
}

/* int64_t of a block of n elements. */
static inline size_t summand__lanes_size(const struct summand__lanes_format *format, size_t n)
{
    return n * (format->digits + (size_t)format->special);
}

/* Widens *range by n terms. */
typedef void summand__lanes_range_run(const void *x, size_t n, struct summand__lanes_range *range);

/* Writes the lanes of one rank's share: n terms. False if a term does not fit; then the lanes are
 * undefined. */
typedef bool summand__lanes_encode_run(const void *x, size_t n,
                                       const struct summand__lanes_format *format, int64_t *lanes);

/* Adds n terms to lanes of a rank's own, which summand__lanes_clear has emptied. A digit holds the
 * sum of 2^(CAPACITY - bits) - 1 terms; then normalise. False if a term does not fit; then the
 * lanes are undefined. */
typedef summand__lanes_encode_run summand__lanes_add_run;

/* Rounds the sums of the shares of `ranks` ranks, at most 2^RANKS_LOG2_MOST and at most
 * 2^(CAPACITY - bits), once each to nearest even: n elements of the terms' type to y. A rank
 * without terms counts, and sends what summand__lanes_clear leaves. If no rank has any, the format
 * must not have `special`: the sum would be -0.0. */
typedef void summand__lanes_decode_run(const struct summand__lanes_format *format, size_t ranks,
                                       const int64_t *lanes, size_t n, void *y);

struct summand__lanes_kernels {
    summand__lanes_range_run *range[SUMMAND__LANES_TYPES];
    summand__lanes_encode_run *encode[SUMMAND__LANES_TYPES];
    summand__lanes_add_run *add[SUMMAND__LANES_TYPES];
    summand__lanes_decode_run *decode[SUMMAND__LANES_TYPES];
    /* Carries the digits of own sums upwards, so that they are a share: below 2^bits. False if a
     * sum does not fit into the digits; then its last digit alone is larger. */
    bool (*normalise)(const struct summand__lanes_format *format, int64_t *lanes, size_t n);
    /* The check words of all lanes of a block. */
    struct summand__lanes_check (*check)(const int64_t *lanes, size_t count);
};

/* Empties lanes for `add`: the share of a rank without terms. */
void summand__lanes_clear(const struct summand__lanes_format *format, int64_t *lanes, size_t n);

/* The table of summand__arch(). */
const struct summand__lanes_kernels *summand__lanes_kernels(void);

/* Bytes of an element. */
size_t summand__lanes_element(enum summand__lanes_type type);

extern const struct summand__lanes_kernels summand__lanes_generic;
extern const struct summand__lanes_kernels summand__lanes_avx2;
extern const struct summand__lanes_kernels summand__lanes_avx512;
extern const struct summand__lanes_kernels summand__lanes_neon;
