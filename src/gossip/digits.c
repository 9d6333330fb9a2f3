/* SPDX-License-Identifier: BSD-3-Clause */
#include "gossip/digits.h"

#include <math.h>

/* x = *mantissa 2^result; the mantissa is an integer of 53 bits. */
static int split(double x, int64_t *mantissa)
{
    int exponent;
    *mantissa = (int64_t)ldexp(frexp(x, &exponent), 53);
    return exponent - 53;
}

static void add(summand_exact *acc, summand__i128 v, int exponent)
{
    int position = exponent + SUMMAND__ORIGIN;
    acc->flags |= SUMMAND__SEEN_OTHER;
    if (position < 0) {
        summand__i128 size = v < 0 ? -v : v;
        size = position > -127 ? size >> -position : 0;
        v = v < 0 ? -size : size;
        position = 0;
    }
    summand__exact_deposit(acc, v, (unsigned)position);
}

void summand__digits_add(summand_exact *acc, double x)
{
    int64_t mantissa;
    int exponent = split(x, &mantissa);
    add(acc, mantissa, exponent);
}

void summand__digits_add_product(summand_exact *acc, double x, double weight, int unit)
{
    int64_t a, b;
    int exponent = split(x, &a) + split(weight, &b);
    add(acc, (summand__i128)a * b, exponent - unit);
}

bool summand__digits_range(const summand_exact *acc, int *low, int *top)
{
    struct summand__leading leading = summand__exact_leading(acc);
    if (!leading.hi)
        return false;
    int limb = acc->low;
    while (!acc->limb[limb])
        limb++;
    *low = 2 * limb + !(uint32_t)acc->limb[limb];
    *top = (leading.exponent + 127 + SUMMAND__ORIGIN) / SUMMAND__DIGIT_BITS;
    return true;
}

void summand__digits_get(const summand_exact *acc, int first, int count, int64_t *digit)
{
    summand_exact size = *acc;
    int64_t sign = summand__exact_leading(acc).negative ? -1 : 1;
    if (sign < 0)
        summand_exact_negate(&size);
    for (int k = 0; k < count; k++) {
        int at = (first + k) / 2;
        uint64_t limb = at >= size.low && at < size.high ? size.limb[at] : 0;
        digit[k] = sign * (int64_t)(uint32_t)((first + k) % 2 ? limb >> 32 : limb);
    }
}

void summand__digits_put(summand_exact *acc, int first, int count, const int64_t *digit)
{
    summand_exact_init(acc);
    acc->flags |= SUMMAND__SEEN_OTHER;
    for (int k = 0; k < count; k++)
        summand__exact_deposit(acc, digit[k], (unsigned)(SUMMAND__DIGIT_BITS * (first + k)));
}

/* The leading 64 bits as a number and its exponent. */
static long double leading_of(const summand_exact *acc, int *exponent)
{
    struct summand__leading top = summand__exact_leading(acc);
    *exponent = top.exponent + 64;
    return top.negative ? -(long double)top.hi : (long double)top.hi;
}

double summand__digits_quotient(const summand_exact *value, const summand_exact *divisor,
                                int exponent, bool single)
{
    int up, down;
    if (!divisor && !exponent)
        return single ? (double)summand_exact_round_f32(value) : summand_exact_round(value);
    long double top = leading_of(value, &up), bottom = divisor ? leading_of(divisor, &down) : 1;
    if (!top)
        return 0;
    long double quotient = scalbnl(top / bottom, up - (divisor ? down : 0) + exponent);
    return single ? (double)(float)quotient : (double)quotient;
}
