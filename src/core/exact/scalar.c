/* SPDX-License-Identifier: BSD-3-Clause */
/* Single terms, by integer arithmetic: any double, any product of two, whatever the floating-point
 * environment. Cost: some 5 ns each; the passes of kernel/ are for many. */
#include "exact/limbs.h"

enum { FRACTION = 52, FIELD = 0x7ff, BIAS = 1075 };

/* Mantissa with its hidden bit, and the exponent of its lowest bit. */
static uint64_t split(uint64_t bits, int *exponent)
{
    const int field = (int)(bits >> FRACTION) & FIELD;
    const uint64_t fraction = bits & ((UINT64_C(1) << FRACTION) - 1);
    *exponent = (field ? field : 1) - BIAS;
    return fraction | (uint64_t)(field != 0) << FRACTION;
}

void summand__exact_deposit_f64(summand_exact *acc, double x)
{
    int exponent;
    const uint64_t bits = summand__bits_f64(x);
    const int64_t mantissa = (int64_t)split(bits, &exponent);
    summand__exact_deposit(acc, bits >> 63 ? -mantissa : mantissa,
                           (unsigned)(exponent + SUMMAND__ORIGIN));
}

void summand__exact_deposit_pair(summand_exact *acc, double high, double low)
{
    int exponent_high, exponent_low;
    const uint64_t a = summand__bits_f64(high), b = summand__bits_f64(low);
    int64_t mantissa_high = (int64_t)split(a, &exponent_high);
    int64_t mantissa_low = (int64_t)split(b, &exponent_low);
    const int shift = exponent_high - exponent_low;
    if (shift < 0 || shift > 70) {
        summand__exact_deposit_f64(acc, high);
        summand__exact_deposit_f64(acc, low);
        return;
    }
    mantissa_high = a >> 63 ? -mantissa_high : mantissa_high;
    mantissa_low = b >> 63 ? -mantissa_low : mantissa_low;
    summand__exact_deposit(
        acc, (summand__i128)mantissa_high * ((summand__i128)1 << shift) + mantissa_low,
        (unsigned)(exponent_low + SUMMAND__ORIGIN));
}

static uint32_t special_flag(uint64_t bits)
{
    return (bits & ~SUMMAND__SIGN_F64) > SUMMAND__INF_F64 ? SUMMAND__SEEN_NAN
           : bits >> 63                                   ? SUMMAND__SEEN_MINUS_INF
                                                          : SUMMAND__SEEN_PLUS_INF;
}

void summand__exact_add_one(summand_exact *acc, double x)
{
    const uint64_t bits = summand__bits_f64(x);
    if ((bits & SUMMAND__INF_F64) == SUMMAND__INF_F64) {
        acc->flags |= special_flag(bits);
        return;
    }
    acc->flags |= bits == SUMMAND__SIGN_F64 ? SUMMAND__SEEN_MINUS_ZERO : SUMMAND__SEEN_OTHER;
    summand__exact_deposit_f64(acc, x);
}

/* A product with a NaN or an infinity among its factors. */
static uint32_t special_product(uint64_t x, uint64_t y)
{
    const uint64_t a = x & ~SUMMAND__SIGN_F64, b = y & ~SUMMAND__SIGN_F64;
    if (a > SUMMAND__INF_F64 || b > SUMMAND__INF_F64 || !a || !b)
        return SUMMAND__SEEN_NAN;
    return (x ^ y) >> 63 ? SUMMAND__SEEN_MINUS_INF : SUMMAND__SEEN_PLUS_INF;
}

void summand__exact_add_product(summand_exact *acc, double x, double y)
{
    const uint64_t a = summand__bits_f64(x), b = summand__bits_f64(y);
    if ((a & SUMMAND__INF_F64) == SUMMAND__INF_F64 || (b & SUMMAND__INF_F64) == SUMMAND__INF_F64) {
        acc->flags |= special_product(a, b);
        return;
    }
    int exponent_a, exponent_b;
    const uint64_t mantissa_a = split(a, &exponent_a);
    const summand__i128 product = (summand__i128)mantissa_a * (int64_t)split(b, &exponent_b);
    const bool negative = (a ^ b) >> 63;
    acc->flags |= !product && negative ? SUMMAND__SEEN_MINUS_ZERO : SUMMAND__SEEN_OTHER;
    summand__exact_deposit(acc, negative ? -product : product,
                           (unsigned)(exponent_a + exponent_b + SUMMAND__ORIGIN));
}
