/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact conversion of 16-bit numbers to floats, in integer operations that compilers vectorize. */
#ifndef SUMMAND_KERNEL_OUTER_WIDEN_H
#define SUMMAND_KERNEL_OUTER_WIDEN_H

#include <stdint.h>
#include <string.h>

typedef uint16_t outer_half __attribute__((aligned(1), may_alias));

static inline float outer_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t outer_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float outer_from_bf16(uint16_t x)
{
    return outer_float((uint32_t)x << 16);
}

/* Of binary16: 10 digits, exponents biased by 15. Denormals are multiples of 2^-24. */
static inline float outer_from_f16(uint16_t x)
{
    const uint32_t size = x & 0x7fffu, sign = (uint32_t)(x & 0x8000u) << 16;
    const uint32_t normal = (size << 13) + ((127u - 15u) << 23), special = size << 13 | 0x7f800000u;
    const uint32_t denormal = outer_bits((float)(int32_t)size * 0x1p-24f);
    return outer_float(sign | (size >= 0x7c00 ? special : size >= 0x400 ? normal : denormal));
}

#endif
