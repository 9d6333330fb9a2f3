/* SPDX-License-Identifier: BSD-3-Clause */
/* Minimum and maximum of two numbers, as kernel/combine.h defines them, without branches. */
#pragma once

#include <stdint.h>
#include <string.h>

/* Both orders of the operands give the same bits, except for zeros: of these, -0 has one bit more.
 * (To detect NaNs by comparing the two results would save a comparison, but gcc 12 makes branches
 * of it.) */
#define COMBINE_EXTREME_FLOAT(name, T, U, nan)                                                     \
    static inline U combine_bits_##name(T a)                                                       \
    {                                                                                              \
        U bits;                                                                                    \
        memcpy(&bits, &a, sizeof bits);                                                            \
        return bits;                                                                               \
    }                                                                                              \
    static inline T combine_number_##name(U bits)                                                  \
    {                                                                                              \
        T a;                                                                                       \
        memcpy(&a, &bits, sizeof a);                                                               \
        return a;                                                                                  \
    }                                                                                              \
    static inline T combine_lesser_##name(T a, T b)                                                \
    {                                                                                              \
        U one = combine_bits_##name(a < b ? a : b), other = combine_bits_##name(b < a ? b : a);    \
        return a == a && b == b ? combine_number_##name(one | other) : nan;                        \
    }                                                                                              \
    static inline T combine_greater_##name(T a, T b)                                               \
    {                                                                                              \
        U one = combine_bits_##name(a > b ? a : b), other = combine_bits_##name(b > a ? b : a);    \
        return a == a && b == b ? combine_number_##name(one & other) : nan;                        \
    }

COMBINE_EXTREME_FLOAT(f32, float, uint32_t, __builtin_nanf(""))
COMBINE_EXTREME_FLOAT(f64, double, uint64_t, __builtin_nan(""))

/* Zeros are added for their sign: the sum is -0 if both are -0. */
static inline long double combine_lesser_long(long double a, long double b)
{
    return a < b ? a : b < a ? b : a == b ? (a != 0 ? a : -(-a - b)) : __builtin_nanl("");
}

static inline long double combine_greater_long(long double a, long double b)
{
    return a > b ? a : b > a ? b : a == b ? (a != 0 ? a : a + b) : __builtin_nanl("");
}

/* The bits of a 16-bit number (kernel/half.h) as an integer in the order of the numbers. */
static inline int16_t combine_order_half(uint16_t a)
{
    const int16_t bits = (int16_t)a, flip = (int16_t)(bits >> 15 & 0x7fff);
    return (int16_t)(bits ^ flip);
}

static inline uint16_t combine_lesser_half(uint16_t a, uint16_t b, uint16_t infinity, uint16_t nan)
{
    const uint16_t less = combine_order_half(a) < combine_order_half(b) ? a : b;
    return (uint16_t)(a & 0x7fff) > infinity || (uint16_t)(b & 0x7fff) > infinity ? nan : less;
}

static inline uint16_t combine_greater_half(uint16_t a, uint16_t b, uint16_t infinity, uint16_t nan)
{
    const uint16_t greater = combine_order_half(a) > combine_order_half(b) ? a : b;
    return (uint16_t)(a & 0x7fff) > infinity || (uint16_t)(b & 0x7fff) > infinity ? nan : greater;
}
