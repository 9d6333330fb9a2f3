/* SPDX-License-Identifier: BSD-3-Clause */
/* Hostile operands of every type of the combine kernels. */
#pragma once

#include <float.h>
#include <stdbool.h>

#include "unit/combine_oracle.h"

static uint64_t combine_seed = 4;

static inline uint64_t combine_random(void)
{
    uint64_t z = (combine_seed += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline uint64_t combine_hostile_integer(size_t bytes)
{
    uint64_t top = UINT64_C(1) << (8 * bytes - 1);
    const uint64_t values[] = {0, 1, 2, UINT64_MAX, top, top - 1, top + 1, UINT64_MAX - 1};
    uint64_t pick = combine_random() % 16, any = combine_random(), shift = combine_random() % 64;
    return pick < 8 ? values[pick] : any >> shift;
}

/* Half of the vectors hold full-precision numbers without infinities and NaNs, because those make
 * some kernels take another path. A fused operation rounds their products once less, which shows.
 * */
static bool combine_tame;

static inline int combine_hostile_exponent(size_t bytes, uint64_t random)
{
    return bytes == sizeof(uint16_t) ? (int)(random % 45) - 27
           : bytes == sizeof(float)  ? (int)(random % 270) - 145
                                     : (int)(random % 2080) - 1060;
}

static inline double combine_hostile_real(size_t bytes)
{
    static const double values[] = {0.0, -0.0, 1.0,    -1.0,    INFINITY, -INFINITY,
                                    NAN, -NAN, 0x1p30, -0x1p30, 1.5,      0x1.fffffep-1};
    uint64_t pick = combine_random() % 24, bits = combine_random(), scale = combine_random();
    double any;
    memcpy(&any, &bits, sizeof any);
    if (combine_tame)
        return (double)(int64_t)bits * 0x1p-60;
    if (pick < 12)
        return values[pick];
    if (pick < 14) /* the ends of the range, with subnormals */
        return ldexp(bits % 2 ? 1.75 : -1.25, combine_hostile_exponent(bytes, scale));
    return pick < 16 ? any : (double)(int64_t)(bits % 2000 - 1000);
}

/* NaNs of any sign and payload, quiet or signalling. They are made from bits, because a conversion
 * would make them quiet. */
static inline void combine_put_nan(size_t bytes, char *to)
{
    uint64_t bits = combine_random() | 1, top = UINT64_C(1) << 63;
    uint16_t extended = (uint16_t)(0x7fff | (bits & 0x8000));
    uint32_t single = (uint32_t)bits | 0x7f800000;
    uint64_t number = bytes == sizeof(double) ? bits | (UINT64_C(0x7ff) << 52) : bits | top;
    if (bytes == sizeof single) {
        memcpy(to, &single, sizeof single);
    } else {
        memcpy(to, &number, sizeof number);
        if (bytes > sizeof number)
            memcpy(to + sizeof number, &extended, sizeof extended);
    }
}

/* Long doubles are converted from doubles, because not every bit pattern is a valid number. */
static inline void combine_put_real(size_t bytes, char *to)
{
    double d = combine_hostile_real(bytes);
    float f = (float)d;
    long double l = (long double)d * (combine_random() % 2 ? 1 : 1.0L + 0x1p-63L);
    memcpy(to, bytes == sizeof f ? (void *)&f : bytes == sizeof d ? (void *)&d : &l, bytes);
    if (!combine_tame && combine_random() % 16 == 0 && (bytes <= sizeof d || LDBL_MANT_DIG == 64))
        combine_put_nan(bytes, to);
}

/* Any bits are a number of 16 bits; half of them are small whole ones, so that sums tie. */
static inline void combine_put_half(const struct oracle_type *type, char *to)
{
    const uint64_t bits = combine_random();
    const double tame = (double)(int64_t)(bits % 4096) - 2048;
    const uint16_t any = (uint16_t)bits, half = oracle_to_half(type, combine_tame || bits >> 63
                                                                         ? tame
                                                                         : combine_hostile_real(2));
    memcpy(to, !combine_tame && bits >> 62 & 1 ? &any : &half, sizeof half);
}

static inline void combine_put_element(const struct oracle_type *type, char *to)
{
    if (type->bytes == sizeof(uint16_t) && type->family == ORACLE_REAL) {
        combine_put_half(type, to);
    } else if (type->family == ORACLE_REAL || type->family == ORACLE_COMPLEX) {
        combine_put_real(type->bytes, to);
        if (type->family == ORACLE_COMPLEX)
            combine_put_real(type->bytes, to + type->bytes);
    } else {
        uint64_t bits = type->family == ORACLE_BOOL ? combine_random() % 2
                                                    : combine_hostile_integer(type->bytes);
        memcpy(to, &bits, type->bytes);
    }
    if (type->index) {
        int32_t index = (int32_t)(combine_random() % 5) - 1;
        memcpy(to + type->index, &index, sizeof index);
    }
}

static inline void combine_fill(const struct oracle_type *type, char *data, size_t n)
{
    combine_tame = combine_random() % 2;
    for (size_t i = 0; i < n * type->extent; i++)
        data[i] = (char)combine_random(); /* padding */
    for (size_t i = 0; i < n; i++)
        combine_put_element(type, data + i * type->extent);
}
