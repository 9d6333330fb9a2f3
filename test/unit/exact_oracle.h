/* SPDX-License-Identifier: BSD-3-Clause */
/* Oracle of the exact sums: MPFR with more bits than any sum of products of doubles has, so it
 * never rounds before the end. Special values follow IEEE 754 addition, term by term. */
#pragma once

#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <summand/exact.h>

enum { ORACLE_BITS = 4500 };

struct oracle {
    mpfr_t sum, term, factor;
    double special; /* sum of the infinities and NaNs */
    bool any, other;
};

static inline void oracle_init(struct oracle *o)
{
    mpfr_inits2(ORACLE_BITS, o->sum, o->term, o->factor, (mpfr_ptr)0);
    mpfr_set_zero(o->sum, 1);
    o->special = 0;
    o->any = o->other = false;
}

static inline void oracle_clear(struct oracle *o)
{
    mpfr_clears(o->sum, o->term, o->factor, (mpfr_ptr)0);
}

static inline void oracle_product(struct oracle *o, double x, double y)
{
    const bool zero = x == 0 || y == 0;
    const bool negative = !signbit(x) != !signbit(y);
    o->any = true;
    if (!isfinite(x) || !isfinite(y)) {
        o->special += x * y;
        o->other = true;
        return;
    }
    o->other |= !(zero && negative);
    mpfr_set_d(o->term, x, MPFR_RNDN);
    mpfr_set_d(o->factor, y, MPFR_RNDN);
    mpfr_mul(o->term, o->term, o->factor, MPFR_RNDN);
    mpfr_add(o->sum, o->sum, o->term, MPFR_RNDN);
}

static inline void oracle_add(struct oracle *o, double x)
{
    oracle_product(o, x, 1.0);
}

/* A result without rounding: true if *x holds it. */
static inline bool oracle_special(const struct oracle *o, double *x)
{
    if (isnan(o->special)) {
        const uint64_t nan = UINT64_C(0x7ff8000000000000);
        memcpy(x, &nan, sizeof nan);
    } else if (o->special != 0)
        *x = o->special;
    else if (mpfr_zero_p(o->sum))
        *x = o->any && !o->other ? -0.0 : 0.0;
    else
        return false;
    return true;
}

static inline double oracle_round(const struct oracle *o)
{
    double x;
    return oracle_special(o, &x) ? x : mpfr_get_d(o->sum, MPFR_RNDN);
}

static inline float oracle_round_f32(const struct oracle *o)
{
    double x;
    return oracle_special(o, &x) ? (float)x : mpfr_get_flt(o->sum, MPFR_RNDN);
}

/* The square root: 5000 bits first, with the last bit made sticky, then one rounding. */
static inline void oracle_root(struct oracle *o, double *f64, float *f32)
{
    double x;
    if (oracle_special(o, &x) || mpfr_sgn(o->sum) < 0) {
        if (mpfr_sgn(o->sum) < 0 && o->special == 0)
            x = -1;
        *f64 = sqrt(x);
        *f32 = (float)*f64;
        return;
    }
    mpfr_t root;
    mpfr_init2(root, 5000);
    if (mpfr_sqrt(root, o->sum, MPFR_RNDZ) != 0)
        mpfr_nextabove(root); /* neither a tie nor a representable number any more */
    *f64 = mpfr_get_d(root, MPFR_RNDN);
    *f32 = mpfr_get_flt(root, MPFR_RNDN);
    mpfr_clear(root);
}

/* Compares bits; all NaNs count as equal, and nothing else is tolerated. */
static inline uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline uint32_t bits_of_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* xorshift64*: the same numbers on every machine. */
static uint64_t random_state = 88172645463325252u;

static inline uint64_t random_u64(void)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 2685821657736338717u;
}

static inline unsigned random_below(unsigned n)
{
    return (unsigned)((random_u64() >> 32) * n >> 32);
}

/* Uniform in (-1, 1). */
static inline double random_unit(void)
{
    return (double)((int64_t)random_u64() >> 10) * 0x1p-53;
}

/* A finite double with its exponent field uniform in [low, high). */
static inline double random_field(unsigned low, unsigned high)
{
    const uint64_t bits = (random_u64() & UINT64_C(0x800fffffffffffff)) |
                          (uint64_t)(low + random_below(high - low)) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline double random_finite(void)
{
    return random_field(0, 2047);
}
