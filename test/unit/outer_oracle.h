/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of outer products by their definition: element by element, with the C library's fma(), which
 * is exact on any processor. 16-bit numbers are decoded by definition, as sums of powers of 2. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "compute/outer.h"

static inline uint64_t outer_random(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Sign, `bits` of exponent, `digits` of fraction. */
static inline double outer_oracle_number(uint64_t x, int bits, int digits)
{
    const double sign = x >> (bits + digits) & 1 ? -1 : 1;
    const int exponent = (int)(x >> digits & ((1u << bits) - 1)), bias = (1 << (bits - 1)) - 1;
    const double fraction = ldexp((double)(x & ((1u << digits) - 1)), -digits);
    if (exponent == (1 << bits) - 1)
        return fraction != 0 ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp(1 + fraction, exponent - bias) : ldexp(fraction, 1 - bias));
}

static inline double outer_factor(enum summand__outer_type type, const void *factors, size_t i)
{
    const char *at = (const char *)factors + i * summand__outer_factor_size(type);
    double f64;
    float f32;
    uint16_t half;
    switch (type) {
    case SUMMAND__OUTER_F64:
        memcpy(&f64, at, sizeof f64);
        return f64;
    case SUMMAND__OUTER_F32:
        memcpy(&f32, at, sizeof f32);
        return (double)f32;
    default:
        memcpy(&half, at, sizeof half);
        return type == SUMMAND__OUTER_BF16 ? outer_oracle_number(half, 8, 7)
                                           : outer_oracle_number(half, 5, 10);
    }
}

static inline double outer_get(enum summand__outer_type type, const void *g, size_t i)
{
    double f64;
    float f32;
    if (type == SUMMAND__OUTER_F64) {
        memcpy(&f64, (const char *)g + i * sizeof f64, sizeof f64);
        return f64;
    }
    memcpy(&f32, (const char *)g + i * sizeof f32, sizeof f32);
    return (double)f32;
}

static inline void outer_put(enum summand__outer_type type, void *g, size_t i, double value)
{
    const uint64_t nan64 = 0x7ff8000000000000u;
    const uint32_t nan32 = 0x7fc00000u;
    const float f32 = (float)value;
    if (type == SUMMAND__OUTER_F64)
        memcpy((char *)g + i * sizeof value, isnan(value) ? (const void *)&nan64 : &value,
               sizeof value);
    else
        memcpy((char *)g + i * sizeof f32, isnan(value) ? (const void *)&nan32 : &f32, sizeof f32);
}

static inline double outer_fma(enum summand__outer_type type, double x, double y, double s)
{
    return type == SUMMAND__OUTER_F64 ? fma(x, y, s) : (double)fmaf((float)x, (float)y, (float)s);
}

static inline double outer_round(enum summand__outer_type type, double x)
{
    return type == SUMMAND__OUTER_F64 ? x : (double)(float)x;
}

static inline void outer_oracle(enum summand__outer_type type, const struct summand__outer *w,
                                size_t first, size_t rows)
{
    const double alpha = outer_round(type, w->alpha), beta = outer_round(type, w->beta);
    for (size_t i = first; i < first + rows; i++)
        for (size_t j = w->upper ? i : 0; j < w->columns; j++) {
            double s = w->continues ? outer_get(type, w->g, i * w->ldg + j) : 0;
            for (size_t k = 0; k < w->pairs; k++)
                s = outer_fma(type, outer_factor(type, w->a, k * w->lda + i),
                              outer_factor(type, w->b, k * w->ldb + j), s);
            if (!w->continues && alpha != 1)
                s = outer_round(type, alpha * s);
            if (!w->continues && beta != 0)
                s = outer_fma(type, beta, outer_get(type, w->g, i * w->ldg + j), s);
            outer_put(type, w->g, i * w->ldg + j, s);
        }
}

/* Bits of factors: mostly numbers of a size whose sums round. If `hostile`, one in `hostile` has
 * any bits (NaN, infinities, denormals, zeros of both signs, the largest). */
static inline void outer_fill(enum summand__outer_type type, void *factors, size_t count,
                              uint64_t *seed, unsigned hostile)
{
    static const uint64_t special64[] = {
        0, 0x8000000000000000u, 0x7ff0000000000000u, 0xfff0000000000000u, 0x7ff8000000000001u,
        1, 0x800fffffffffffffu, 0x7fefffffffffffffu, 0x1ff0000000000000u, 0x9ff8000000000000u};
    static const uint32_t special32[] = {0, 0x80000000u, 0x7f800000u, 0xff800000u, 0x7fc00001u,
                                         1, 0x807fffffu, 0x7f7fffffu, 0x1f800000u, 0x9fc00000u};
    for (size_t i = 0; i < count; i++) {
        const uint64_t any = outer_random(seed);
        const bool special = hostile && any % hostile == 0;
        const double value = (double)(any % 2000001) / 1e6 - 1;
        const float f32 = (float)value;
        uint64_t b64;
        uint32_t b32;
        memcpy(&b64, &value, sizeof b64);
        memcpy(&b32, &f32, sizeof b32);
        b64 = special ? special64[any / hostile % 10] : b64;
        b32 = special ? special32[any / hostile % 10] : b32;
        uint16_t half = (uint16_t)(b32 >> 16);
        if (type == SUMMAND__OUTER_F16) /* 2^-8 to 2 */
            half = (uint16_t)((any & 0x83ff) | (7 + any / 65536 % 9) << 10);
        if (special)
            half = (uint16_t)(any / hostile);
        memcpy((char *)factors + i * summand__outer_factor_size(type),
               type == SUMMAND__OUTER_F64   ? (const void *)&b64
               : type == SUMMAND__OUTER_F32 ? (const void *)&b32
                                            : (const void *)&half,
               summand__outer_factor_size(type));
    }
}
