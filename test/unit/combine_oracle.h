/* SPDX-License-Identifier: BSD-3-Clause */
/* The result that a combine kernel must give for one element, by the definitions in
 * kernel/combine.h. It works on bits and wide integers, while the kernels compare and compute in
 * the type. */
#pragma once

#include <complex.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernel/combine.h"

struct oracle_type {
    enum { ORACLE_SIGNED, ORACLE_UNSIGNED, ORACLE_REAL, ORACLE_COMPLEX, ORACLE_BOOL } family;
    size_t bytes; /* of a number */
    size_t data;  /* those of them that hold data: 10 of 16 in a long double of x86 */
    size_t index; /* offset of a pair's index, 0: no pair */
    size_t extent;
};

#if defined(__x86_64__)
enum { ORACLE_LONG = 10 };
#else
enum { ORACLE_LONG = sizeof(long double) };
#endif

struct oracle_short_int {
    short value;
    int index;
};
struct oracle_long_int {
    long value;
    int index;
};
struct oracle_double_int {
    double value;
    int index;
};
struct oracle_long_double_int {
    long double value;
    int index;
};

static const struct oracle_type oracle_types[SUMMAND__COMBINE_TYPES] = {
    [SUMMAND__COMBINE_I8] = {ORACLE_SIGNED, 1, 1, 0, 1},
    [SUMMAND__COMBINE_I16] = {ORACLE_SIGNED, 2, 2, 0, 2},
    [SUMMAND__COMBINE_I32] = {ORACLE_SIGNED, 4, 4, 0, 4},
    [SUMMAND__COMBINE_I64] = {ORACLE_SIGNED, 8, 8, 0, 8},
    [SUMMAND__COMBINE_U8] = {ORACLE_UNSIGNED, 1, 1, 0, 1},
    [SUMMAND__COMBINE_U16] = {ORACLE_UNSIGNED, 2, 2, 0, 2},
    [SUMMAND__COMBINE_U32] = {ORACLE_UNSIGNED, 4, 4, 0, 4},
    [SUMMAND__COMBINE_U64] = {ORACLE_UNSIGNED, 8, 8, 0, 8},
    [SUMMAND__COMBINE_F16] = {ORACLE_REAL, 2, 2, 0, 2},
    [SUMMAND__COMBINE_BF16] = {ORACLE_REAL, 2, 2, 0, 2},
    [SUMMAND__COMBINE_F32] = {ORACLE_REAL, 4, 4, 0, 4},
    [SUMMAND__COMBINE_F64] = {ORACLE_REAL, 8, 8, 0, 8},
    [SUMMAND__COMBINE_LONG_DOUBLE] = {ORACLE_REAL, sizeof(long double), ORACLE_LONG, 0,
                                      sizeof(long double)},
    [SUMMAND__COMBINE_COMPLEX32] = {ORACLE_COMPLEX, 4, 4, 0, 8},
    [SUMMAND__COMBINE_COMPLEX64] = {ORACLE_COMPLEX, 8, 8, 0, 16},
    [SUMMAND__COMBINE_COMPLEX_LONG] = {ORACLE_COMPLEX, sizeof(long double), ORACLE_LONG, 0,
                                       2 * sizeof(long double)},
    [SUMMAND__COMBINE_BOOL] = {ORACLE_BOOL, 1, 1, 0, 1},
    [SUMMAND__COMBINE_SHORT_INT] = {ORACLE_SIGNED, 2, 2, offsetof(struct oracle_short_int, index),
                                    sizeof(struct oracle_short_int)},
    [SUMMAND__COMBINE_INT_INT] = {ORACLE_SIGNED, 4, 4, 4, 8},
    [SUMMAND__COMBINE_LONG_INT] = {ORACLE_SIGNED, sizeof(long), sizeof(long),
                                   offsetof(struct oracle_long_int, index),
                                   sizeof(struct oracle_long_int)},
    [SUMMAND__COMBINE_F32_INT] = {ORACLE_REAL, 4, 4, 4, 8},
    [SUMMAND__COMBINE_F64_INT] = {ORACLE_REAL, 8, 8, offsetof(struct oracle_double_int, index),
                                  sizeof(struct oracle_double_int)},
    [SUMMAND__COMBINE_LONG_DOUBLE_INT] = {ORACLE_REAL, sizeof(long double), ORACLE_LONG,
                                          offsetof(struct oracle_long_double_int, index),
                                          sizeof(struct oracle_long_double_int)},
};

/* Of a type of 16 bits. */
static inline int oracle_digits(const struct oracle_type *type)
{
    return type == &oracle_types[SUMMAND__COMBINE_F16] ? 11 : 8;
}

static inline int oracle_bias(const struct oracle_type *type)
{
    return type == &oracle_types[SUMMAND__COMBINE_F16] ? 15 : 127;
}

static inline long double oracle_half(const struct oracle_type *type, unsigned bits)
{
    const int stored = oracle_digits(type) - 1, fraction = (int)bits & ((1 << stored) - 1);
    const int exponent = (int)(bits & 0x7fff) >> stored, least = 1 - oracle_bias(type) - stored;
    const long double size = exponent > 2 * oracle_bias(type)
                                 ? fraction ? (long double)NAN : (long double)INFINITY
                             : exponent ? ldexpl(fraction + (1 << stored), exponent - 1 + least)
                                        : ldexpl(fraction, least);
    return bits & 0x8000 ? -size : size;
}

/* Rounds to nearest even. `x` is exact, or far from a tie. */
static inline uint16_t oracle_to_half(const struct oracle_type *type, long double x)
{
    const int stored = oracle_digits(type) - 1, infinity = (2 * oracle_bias(type) + 1) << stored;
    const int least = 1 - oracle_bias(type) - stored, sign = signbit(x) ? 0x8000 : 0;
    int exponent = 0;
    if (isnan(x))
        return (uint16_t)(infinity | 1 << (stored - 1));
    if (isinf(x) || x == 0)
        return (uint16_t)(sign | (x == 0 ? 0 : infinity));
    frexpl(x, &exponent);
    exponent = exponent - oracle_digits(type) > least ? exponent - oracle_digits(type) : least;
    const int bits = ((exponent - least) << stored) + (int)rintl(ldexpl(fabsl(x), -exponent));
    return (uint16_t)(sign | (bits < infinity ? bits : infinity));
}

static inline long double oracle_real(const struct oracle_type *type, const void *from)
{
    uint16_t h;
    memcpy(&h, from, sizeof h);
    if (type->bytes == sizeof h)
        return oracle_half(type, h);
    float f;
    double d;
    long double l;
    memcpy(&f, from, sizeof f);
    if (type->bytes == sizeof f)
        return (long double)f;
    memcpy(&d, from, sizeof d);
    if (type->bytes == sizeof d)
        return (long double)d;
    memcpy(&l, from, sizeof l);
    return l;
}

/* Any NaN becomes the positive quiet one without payload. */
static inline void oracle_store_real(const struct oracle_type *type, long double x, void *to)
{
    if (type->bytes == sizeof(uint16_t)) {
        const uint16_t h = oracle_to_half(type, x);
        memcpy(to, &h, sizeof h);
        return;
    }
    float f = isnan(x) ? NAN : (float)x;
    double d = isnan(x) ? (double)NAN : (double)x;
    long double l = isnan(x) ? (long double)NAN : x;
    memcpy(to,
           type->bytes == sizeof f   ? (void *)&f
           : type->bytes == sizeof d ? (void *)&d
                                     : &l,
           type->data);
}

/* Rounded once, in the type. */
static inline long double oracle_arithmetic(const struct oracle_type *type, int product,
                                            long double a, long double b)
{
    volatile float f = (float)a, g = (float)b;
    volatile double d = (double)a, e = (double)b;
    if (type->bytes == sizeof f)
        return (long double)(f = product ? f * g : f + g);
    if (type->bytes == sizeof d)
        return (long double)(d = product ? d * e : d + e);
    return product ? a * b : a + b;
}

/* IEEE 754-2019, 9.6: a NaN if there is one, and zeros by their sign. */
static inline long double oracle_extreme(int greatest, long double a, long double b)
{
    if (isnan(a) || isnan(b))
        return (long double)NAN;
    int above = a != b ? a > b : !signbit(a) && signbit(b);
    return above == greatest ? a : b;
}

static inline int64_t oracle_integer(const struct oracle_type *type, const void *from)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < type->bytes; i++) /* little endian, like all kernels */
        bits |= (uint64_t)((const unsigned char *)from)[i] << 8 * i;
    unsigned spare = 64 - 8 * (unsigned)type->bytes;
    return type->family == ORACLE_SIGNED ? (int64_t)(bits << spare) >> spare : (int64_t)bits;
}

static inline __int128 oracle_value(const struct oracle_type *type, int64_t bits)
{
    return type->family == ORACLE_SIGNED ? (__int128)bits : (__int128)(uint64_t)bits;
}

static inline uint64_t oracle_integers(const struct oracle_type *type,
                                       enum summand__combine_operator op, int64_t x, int64_t y)
{
    __int128 a = oracle_value(type, x), b = oracle_value(type, y);
    switch (op) {
    case SUMMAND__COMBINE_SUM:
        return (uint64_t)(a + b);
    case SUMMAND__COMBINE_PROD:
        return (uint64_t)((unsigned __int128)a * (unsigned __int128)b);
    case SUMMAND__COMBINE_MIN:
    case SUMMAND__COMBINE_MINLOC:
        return (uint64_t)(a <= b ? a : b);
    case SUMMAND__COMBINE_MAX:
    case SUMMAND__COMBINE_MAXLOC:
        return (uint64_t)(a >= b ? a : b);
    case SUMMAND__COMBINE_LAND:
        return x && y;
    case SUMMAND__COMBINE_LOR:
        return x || y;
    case SUMMAND__COMBINE_LXOR:
        return !x != !y;
    case SUMMAND__COMBINE_BAND:
        return (uint64_t)(x & y);
    case SUMMAND__COMBINE_BOR:
        return (uint64_t)(x | y);
    default:
        return (uint64_t)(x ^ y);
    }
}

/* The textbook's product. If both parts are NaN, the caller checks less, because annex G leaves
 * open which infinity it is. */
static inline void oracle_complex(const struct oracle_type *type, int product, const char *x,
                                  const char *y, long double part[2])
{
    long double a = oracle_real(type, x), b = oracle_real(type, x + type->bytes);
    long double c = oracle_real(type, y), d = oracle_real(type, y + type->bytes);
    if (!product) {
        part[0] = oracle_arithmetic(type, 0, a, c);
        part[1] = oracle_arithmetic(type, 0, b, d);
        return;
    }
    part[0] = oracle_arithmetic(type, 0, oracle_arithmetic(type, 1, a, c),
                                -oracle_arithmetic(type, 1, b, d));
    part[1] = oracle_arithmetic(type, 0, oracle_arithmetic(type, 1, a, d),
                                oracle_arithmetic(type, 1, b, c));
}

/* Writes the data of left op right to `out` and leaves its padding. */
static inline void oracle_combine(enum summand__combine_operator op, enum summand__combine_type t,
                                  const char *left, const char *right, char *out)
{
    const struct oracle_type *type = &oracle_types[t];
    int product = op == SUMMAND__COMBINE_PROD;
    int greatest = op == SUMMAND__COMBINE_MAX || op == SUMMAND__COMBINE_MAXLOC;
    if (type->family == ORACLE_COMPLEX) {
        long double part[2];
        oracle_complex(type, product, left, right, part);
        oracle_store_real(type, part[0], out);
        oracle_store_real(type, part[1], out + type->bytes);
        return;
    }
    int left_wins, right_wins; /* whose value it is, for pairs */
    if (type->family == ORACLE_REAL) {
        long double a = oracle_real(type, left), b = oracle_real(type, right);
        int arithmetic = product || op == SUMMAND__COMBINE_SUM;
        oracle_store_real(type,
                          arithmetic ? oracle_arithmetic(type, product, a, b)
                                     : oracle_extreme(greatest, a, b),
                          out);
        left_wins = isnan(a) || (!isnan(b) && (greatest ? a >= b : a <= b));
        right_wins = isnan(b) || (!isnan(a) && (greatest ? b >= a : b <= a));
    } else {
        int64_t a = oracle_integer(type, left), b = oracle_integer(type, right);
        uint64_t bits = oracle_integers(type, op, a, b);
        memcpy(out, &bits, type->bytes);
        left_wins = greatest ? a >= b : a <= b;
        right_wins = greatest ? b >= a : b <= a;
    }
    if (type->index) {
        int32_t i, j;
        memcpy(&i, left + type->index, sizeof i);
        memcpy(&j, right + type->index, sizeof j);
        int32_t least = i < j ? i : j, index = left_wins && right_wins ? least : left_wins ? i : j;
        memcpy(out + type->index, &index, sizeof index);
    }
}
