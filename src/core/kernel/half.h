/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversion between floats and 16-bit numbers, in operations that compilers vectorize: binary16
 * (11 digits, exponents -14 to 15) and bfloat16 (the upper half of a float: 8 digits). To float it
 * is exact. From float it rounds to nearest even, with denormals; a NaN becomes the canonical quiet
 * one. The caller has set the default floating-point environment (kernel/fpenv.h). */
#pragma once

#include <stdint.h>
#include <string.h>

/* In users' buffers, which may have any alignment. */
typedef uint16_t half_anywhere __attribute__((aligned(1), may_alias));

enum {
    HALF_INFINITY_F16 = 0x7c00,
    HALF_NAN_F16 = 0x7e00, /* the canonical one */
    HALF_INFINITY_BF16 = 0x7f80,
    HALF_NAN_BF16 = 0x7fc0
};

static inline float half_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t half_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float half_from_bf16(uint16_t x)
{
    return half_float((uint32_t)x << 16);
}

static inline uint16_t half_to_bf16(float x)
{
    const uint32_t bits = half_bits(x), rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
    return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? HALF_NAN_BF16 : rounded);
}

/* a if the condition holds, else b. By a mask: gcc 12 makes branches of ?: if one value comes from
 * an operation on floats, and does not vectorize them. */
static inline uint32_t half_select(int condition, uint32_t a, uint32_t b)
{
    return b ^ ((a ^ b) & -(uint32_t)condition);
}

enum { HALF_REBIAS = (127 - 15) << 23 }; /* between the exponents of binary16 and float */

/* Denormals are multiples of 2^-24. */
static inline float half_from_f16(uint16_t x)
{
    const uint32_t size = x & 0x7fffu, sign = (uint32_t)(x & 0x8000u) << 16;
    const uint32_t normal = (size << 13) + HALF_REBIAS, special = normal + HALF_REBIAS;
    const uint32_t denormal = half_bits((float)(int32_t)size * 0x1p-24f);
    return half_float(
        sign | half_select(size < 0x400, denormal, size >= HALF_INFINITY_F16 ? special : normal));
}

/* The last digit of a float from 1/2 on is worth 2^-24: to add 1/2 rounds a denormal. */
static inline uint16_t half_to_f16(float x)
{
    const uint32_t least = 0x38800000, beyond = 0x477ff000; /* 2^-14; 65520, which rounds up */
    const uint32_t bits = half_bits(x), size = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000u;
    const uint32_t normal = (size - HALF_REBIAS + 0xfffu + (size >> 13 & 1)) >> 13;
    const uint32_t denormal = half_bits(half_float(size) + 0.5f) - half_bits(0.5f);
    const uint32_t finite = half_select(size < least, denormal, normal);
    const uint32_t rounded = half_select(size >= beyond, HALF_INFINITY_F16, finite);
    return (uint16_t)half_select(size > 0x7f800000u, HALF_NAN_F16, sign | rounded);
}
