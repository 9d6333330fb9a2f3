/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of the exact accumulator: flags, deposits of integers, the leading bits of a value. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <summand/exact.h>

#include "kernel/leading.h"

__extension__ typedef __int128 summand__i128;
__extension__ typedef unsigned __int128 summand__u128;

/* Bit 0 of limb 0 counts 2^-SUMMAND__ORIGIN. */
#define SUMMAND__ORIGIN 2176

/* The kinds of deposits so far. Flags of a merge are the OR of both sides'. */
enum {
    SUMMAND__SEEN_NAN = 1,
    SUMMAND__SEEN_PLUS_INF = 2,
    SUMMAND__SEEN_MINUS_INF = 4,
    SUMMAND__SEEN_MINUS_ZERO = 8, /* a term that is -0.0 */
    SUMMAND__SEEN_OTHER = 16,     /* a finite term that is not -0.0 */
    SUMMAND__SEEN_SPECIAL = SUMMAND__SEEN_NAN | SUMMAND__SEEN_PLUS_INF | SUMMAND__SEEN_MINUS_INF,
    SUMMAND__SEEN_ALL = 31
};

#define SUMMAND__NAN_F64 UINT64_C(0x7ff8000000000000)
#define SUMMAND__INF_F64 UINT64_C(0x7ff0000000000000)
#define SUMMAND__SIGN_F64 UINT64_C(0x8000000000000000)

/* The one flag that decides the result (0: nothing deposited), the rest dropped. */
static inline uint32_t summand__exact_special(uint32_t flags)
{
    const uint32_t both = SUMMAND__SEEN_PLUS_INF | SUMMAND__SEEN_MINUS_INF;
    if ((flags & SUMMAND__SEEN_NAN) || (flags & both) == both)
        return SUMMAND__SEEN_NAN;
    if (flags & both)
        return flags & both;
    return flags & SUMMAND__SEEN_OTHER ? SUMMAND__SEEN_OTHER : flags & SUMMAND__SEEN_MINUS_ZERO;
}

static inline uint64_t summand__bits_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double summand__f64_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Adds v 2^(position - SUMMAND__ORIGIN). The position is at most 4118 (the largest product's). */
void summand__exact_deposit(summand_exact *acc, summand__i128 v, unsigned position);

/* Adds a finite value; no flags. */
void summand__exact_deposit_f64(summand_exact *acc, double x);
/* The same for the sum of two values, in one deposit if they are near each other. */
void summand__exact_deposit_pair(summand_exact *acc, double high, double low);

/* Adds one term with its flags: a value; a product, exact. Integer arithmetic alone. */
void summand__exact_add_one(summand_exact *acc, double x);
void summand__exact_add_product(summand_exact *acc, double x, double y);

struct summand__leading summand__exact_leading(const summand_exact *acc);

/* Rounds to nearest even: the bits of a double, of a float. */
uint64_t summand__leading_to_f64(struct summand__leading top);
uint32_t summand__leading_to_f32(struct summand__leading top);
