/* SPDX-License-Identifier: BSD-3-Clause */
/* Oracle of the kernels of lanes: types by their definition, sums and roundings by MPFR. */
#pragma once

#include "unit/exact_data.h"

#include "kernel/lanes.h"

/* Digits of precision; exponents of the lowest bit of a denormal and of infinity. */
struct lanes_type {
    const char *name;
    size_t bytes;
    int digits, low, high;
};

static const struct lanes_type lanes_types[SUMMAND__LANES_TYPES] = {{"double", 8, 53, -1074, 1024},
                                                                    {"float", 4, 24, -149, 128},
                                                                    {"half", 2, 11, -24, 16},
                                                                    {"bfloat16", 2, 8, -133, 128}};

static inline uint64_t lanes_bits(int type, const void *x, size_t j)
{
    uint64_t bits = 0; /* of a little-endian number */
    for (size_t i = 0; i < lanes_types[type].bytes; i++)
        bits |= (uint64_t)((const unsigned char *)x)[j * lanes_types[type].bytes + i] << 8 * i;
    return bits;
}

static inline void lanes_set_bits(int type, void *x, size_t j, uint64_t bits)
{
    for (size_t i = 0; i < lanes_types[type].bytes; i++)
        ((unsigned char *)x)[j * lanes_types[type].bytes + i] = (unsigned char)(bits >> 8 * i);
}

/* The value of element j, by the definition of the formats of IEEE 754. */
static inline double lanes_value(int type, const void *x, size_t j)
{
    const struct lanes_type *t = &lanes_types[type];
    const uint64_t bits = lanes_bits(type, x, j);
    const uint64_t sign = bits >> (8 * t->bytes - 1);
    const uint64_t size = bits & ~(sign << (8 * t->bytes - 1));
    const int field = (int)(size >> (t->digits - 1)), all = t->high - t->low - t->digits + 2;
    const uint64_t fraction = size & (((uint64_t)1 << (t->digits - 1)) - 1);
    double value;
    if (field == all)
        value = fraction ? NAN : INFINITY;
    else
        value = ldexp((double)(fraction + (field ? (uint64_t)1 << (t->digits - 1) : 0)),
                      t->low + (field ? field - 1 : 0));
    return sign ? -value : value;
}

/* The bits of a number that the type has; NaN is the canonical one. */
static inline uint64_t lanes_bits_of(int type, double value)
{
    const struct lanes_type *t = &lanes_types[type];
    const uint64_t all = (uint64_t)(t->high - t->low - t->digits + 2) << (t->digits - 1);
    const uint64_t sign = (uint64_t)(signbit(value) != 0) << (8 * t->bytes - 1);
    int exponent;
    if (isnan(value))
        return all | (uint64_t)1 << (t->digits - 2);
    if (isinf(value))
        return sign | all;
    frexp(value, &exponent);
    const int unit = exponent - t->digits > t->low ? exponent - t->digits : t->low;
    return sign | ((uint64_t)ldexp(fabs(value), -unit) +
                   (value == 0 ? 0 : (uint64_t)(unit - t->low) << (t->digits - 1)));
}

/* The nearest number that the type has. */
static inline double lanes_round(int type, mpfr_srcptr exact)
{
    const struct lanes_type *t = &lanes_types[type];
    const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    mpfr_t rounded;
    mpfr_init2(rounded, t->digits);
    int way = mpfr_set(rounded, exact, MPFR_RNDN);
    mpfr_set_emin(t->low + 1);
    mpfr_set_emax(t->high);
    way = mpfr_check_range(rounded, way, MPFR_RNDN);
    mpfr_subnormalize(rounded, way, MPFR_RNDN);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    const double value = mpfr_get_d(rounded, MPFR_RNDN);
    mpfr_clear(rounded);
    return value;
}

/* Stores the number of the type nearest to a double. */
static inline void lanes_set(int type, void *x, size_t j, double value)
{
    if (isfinite(value) && value != 0) {
        mpfr_t exact;
        mpfr_init2(exact, 53);
        mpfr_set_d(exact, value, MPFR_RNDN);
        const double rounded = lanes_round(type, exact);
        mpfr_clear(exact);
        value = rounded == 0 ? copysign(0, value) : rounded;
    }
    lanes_set_bits(type, x, j, lanes_bits_of(type, value));
}

/* The bits of the sum's result. */
static inline uint64_t lanes_expected(int type, const struct oracle *o)
{
    double x;
    return lanes_bits_of(type, oracle_special(o, &x) ? x : lanes_round(type, o->sum));
}

/* Adds `times` terms of one value. */
static inline void lanes_oracle_add(struct oracle *o, double value, unsigned long times)
{
    if (!times)
        return;
    o->any = true;
    if (!isfinite(value) || value == 0) {
        oracle_add(o, value);
        return;
    }
    o->other = true;
    mpfr_set_d(o->term, value, MPFR_RNDN);
    mpfr_mul_ui(o->term, o->term, times, MPFR_RNDN);
    mpfr_add(o->sum, o->sum, o->term, MPFR_RNDN);
}

/* Widens by one value: the exponents of its highest bit and its lowest one by their definition. */
static inline void lanes_oracle_range(struct summand__lanes_range *range, double value)
{
    int exponent;
    if (!isfinite(value) || (value == 0 && signbit(value)))
        range->special = 1;
    if (!isfinite(value) || value == 0)
        return;
    double m = frexp(value, &exponent);
    range->top = exponent > range->top ? exponent : range->top;
    for (; m != rint(m); m *= 2)
        exponent--;
    range->low = -exponent > range->low ? -exponent : range->low;
}
