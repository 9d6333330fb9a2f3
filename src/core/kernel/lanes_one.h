/* SPDX-License-Identifier: BSD-3-Clause */
/* One element of kernel/lanes.h in plain C, any format: what every instruction set falls back on.
 */
#pragma once

#include <string.h>

#include "kernel/half.h"
#include "kernel/lanes.h"
#include "kernel/leading.h"

#define LANES_INLINE static inline __attribute__((always_inline))
/* An operation that is one instruction. */
#define LANES_UNARY(result, name, operand, instruction)                                            \
    LANES_INLINE result name(operand a)                                                            \
    {                                                                                              \
        return instruction(a);                                                                     \
    }
#define LANES_BINARY(result, name, operand, instruction)                                           \
    LANES_INLINE result name(operand a, operand b)                                                 \
    {                                                                                              \
        return instruction(a, b);                                                                  \
    }
#define LANES_SIGN UINT64_C(0x8000000000000000)
#define LANES_INF UINT64_C(0x7ff0000000000000)

__extension__ typedef unsigned __int128 lanes_u128;

/* Element j as the bits of a double: exact. */
LANES_INLINE uint64_t lanes_load(enum summand__lanes_type type, const void *x, size_t j)
{
    double wide;
    float single;
    uint16_t half;
    uint64_t bits;
    switch (type) {
    case SUMMAND__LANES_F64:
        memcpy(&bits, (const char *)x + 8 * j, sizeof bits);
        return bits;
    case SUMMAND__LANES_F32:
        memcpy(&single, (const char *)x + 4 * j, sizeof single);
        break;
    default:
        memcpy(&half, (const char *)x + 2 * j, sizeof half);
        single = type == SUMMAND__LANES_F16 ? half_from_f16(half) : half_from_bf16(half);
    }
    wide = (double)single;
    memcpy(&bits, &wide, sizeof bits);
    return bits;
}

LANES_INLINE uint64_t lanes_bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* 2^exponent, from -1074 to 1023. */
LANES_INLINE double lanes_two_to(int exponent)
{
    const uint64_t bits =
        exponent < -1022 ? UINT64_C(1) << (exponent + 1074) : (uint64_t)(exponent + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* A finite double is m 2^exponent. */
LANES_INLINE uint64_t lanes_magnitude(uint64_t bits, int *exponent)
{
    const int field = (int)(bits >> 52 & 0x7ff);
    *exponent = (field ? field : 1) - 1075;
    return (bits & ((UINT64_C(1) << 52) - 1)) | (uint64_t)(field > 0) << 52;
}

/* The counters of a term. */
LANES_INLINE int64_t lanes_special(uint64_t bits)
{
    const uint64_t size = bits & ~LANES_SIGN;
    if (size > LANES_INF)
        return SUMMAND__LANES_PLUS | SUMMAND__LANES_MINUS;
    if (size == LANES_INF)
        return bits & LANES_SIGN ? SUMMAND__LANES_MINUS : SUMMAND__LANES_PLUS;
    return bits == LANES_SIGN ? SUMMAND__LANES_MINUS_ZEROS : 0;
}

/* The counters of two parts of one rank's terms. */
LANES_INLINE int64_t lanes_join(int64_t a, int64_t b)
{
    return ((a | b) & ~SUMMAND__LANES_MINUS_ZEROS) | (a & b & SUMMAND__LANES_MINUS_ZEROS);
}

LANES_INLINE bool lanes_is_special(uint64_t bits)
{
    return bits == LANES_SIGN || (bits & LANES_INF) == LANES_INF;
}

/* Adds an integer below 2^64 times 2^up to digits, `stride` lanes apart; `sign` is 0 or -1. */
LANES_INLINE void lanes_spread(uint64_t m, unsigned up, int64_t sign, unsigned bits, int64_t *lanes,
                               size_t stride)
{
    const uint64_t ones = (UINT64_C(1) << bits) - 1;
    lanes_u128 rest = (lanes_u128)m << up % bits;
    for (int64_t *digit = lanes + up / bits * stride; rest; digit += stride) {
        *digit += ((int64_t)((uint64_t)rest & ones) ^ sign) - sign;
        rest >>= bits;
    }
}

/* Adds a finite term to its digits; false if it does not fit. */
LANES_INLINE bool lanes_deposit(uint64_t bits, const struct summand__lanes_format *format,
                                int64_t *lanes, size_t stride)
{
    int exponent;
    const uint64_t m = lanes_magnitude(bits, &exponent);
    if (!m)
        return true;
    if (exponent + 64 - __builtin_clzll(m) > format->top ||
        exponent + __builtin_ctzll(m) < format->lowest)
        return false;
    const int up = exponent - format->lowest;
    lanes_spread(up < 0 ? m >> -up : m, up > 0 ? (unsigned)up : 0, bits & LANES_SIGN ? -1 : 0,
                 format->bits, lanes, stride);
    return true;
}

/* The magnitude of a sum in digits of `bits` bits, with one digit more; true if it is negative. */
static inline bool lanes_carry(const struct summand__lanes_format *format, const int64_t *lanes,
                               size_t stride, uint64_t digit[UINT8_MAX + 1])
{
    const unsigned count = format->digits, bits = format->bits;
    const int64_t ones = (INT64_C(1) << bits) - 1;
    for (int negative = 0;; negative++) {
        int64_t carry = 0;
        for (unsigned i = 0; i < count; i++) {
            carry += negative ? -lanes[i * stride] : lanes[i * stride];
            digit[i] = (uint64_t)(carry & ones);
            carry >>= bits;
        }
        digit[count] = (uint64_t)carry;
        if (carry >= 0)
            return negative;
    }
}

/* The leading bits of a sum. */
static inline struct summand__leading lanes_leading(const struct summand__lanes_format *format,
                                                    const int64_t *lanes, size_t stride)
{
    const unsigned bits = format->bits;
    struct summand__leading top = {0};
    uint64_t digit[UINT8_MAX + 1];
    top.negative = lanes_carry(format, lanes, stride, digit);
    unsigned i = format->digits;
    while (i && !digit[i])
        i--;
    if (!digit[i])
        return top;
    lanes_u128 value = digit[i];
    unsigned used = 64 - (unsigned)__builtin_clzll(digit[i]);
    for (; i && used + bits <= 128; used += bits)
        value = value << bits | digit[--i];
    top.exponent = format->lowest + (int)(bits * i) - (int)(128 - used);
    value <<= 128 - used;
    top.hi = (uint64_t)(value >> 64);
    top.lo = (uint64_t)value;
    while (i)
        top.sticky |= digit[--i] != 0;
    return top;
}

/* A binary format: digits of precision, exponent of the lowest normal number, bytes. */
struct lanes_binary {
    int digits, emin, bytes;
};

LANES_INLINE struct lanes_binary lanes_binary(enum summand__lanes_type type)
{
    static const struct lanes_binary rows[SUMMAND__LANES_TYPES] = {
        {53, -1022, 8}, {24, -126, 4}, {11, -14, 2}, {8, -126, 2}};
    return rows[type];
}

/* Element j of y gets bits without a sign and a sign; little-endian and big-endian alike. */
LANES_INLINE void lanes_store(enum summand__lanes_type type, void *y, size_t j, uint64_t size,
                              bool negative)
{
    const struct lanes_binary to = lanes_binary(type);
    const uint64_t bits = size | (uint64_t)negative << (8 * to.bytes - 1);
    const uint32_t single = (uint32_t)bits;
    const uint16_t half = (uint16_t)bits;
    if (to.bytes == 8)
        memcpy((char *)y + 8 * j, &bits, 8);
    else if (to.bytes == 4)
        memcpy((char *)y + 4 * j, &single, 4);
    else
        memcpy((char *)y + 2 * j, &half, 2);
}

/* The result that a special lane decides: true if it was written. */
LANES_INLINE bool lanes_store_special(enum summand__lanes_type type, int64_t counters, size_t ranks,
                                      void *y, size_t j)
{
    const struct lanes_binary to = lanes_binary(type);
    const uint64_t infinity = (uint64_t)(3 - 2 * to.emin) << (to.digits - 1);
    const bool plus = counters & (SUMMAND__LANES_MINUS - 1);
    const bool minus = counters & (SUMMAND__LANES_MINUS_ZEROS - SUMMAND__LANES_MINUS);
    const bool zeros = ranks && (uint64_t)(counters / SUMMAND__LANES_MINUS_ZEROS) == ranks;
    if (plus && minus)
        lanes_store(type, y, j, infinity | UINT64_C(1) << (to.digits - 2), false);
    else if (plus || minus)
        lanes_store(type, y, j, infinity, minus);
    else if (zeros)
        lanes_store(type, y, j, 0, true);
    return plus || minus || zeros;
}

LANES_INLINE void lanes_decode_one(enum summand__lanes_type type,
                                   const struct summand__lanes_format *format, size_t ranks,
                                   const int64_t *lanes, size_t n, size_t j, void *y)
{
    const struct lanes_binary to = lanes_binary(type);
    if (format->special && lanes_store_special(type, lanes[format->digits * n + j], ranks, y, j))
        return;
    const struct summand__leading top = lanes_leading(format, lanes + j, n);
    lanes_store(type, y, j, summand__leading_round(top, to.digits, to.emin),
                top.hi && top.negative);
}
