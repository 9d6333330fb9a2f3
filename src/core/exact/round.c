/* SPDX-License-Identifier: BSD-3-Clause */
/* Rounding the exact value once, from its leading 128 bits and a sticky bit. */
#include "exact/limbs.h"

/* Limb i of |value|; `last` is the lowest limb that is not zero. */
static uint64_t magnitude(const summand_exact *acc, unsigned last, unsigned i, uint64_t sign)
{
    return i < last ? 0 : i == last ? (acc->limb[i] ^ sign) - sign : acc->limb[i] ^ sign;
}

struct summand__leading summand__exact_leading(const summand_exact *acc)
{
    struct summand__leading top = {0};
    unsigned last = acc->low, first = acc->high;
    while (last < acc->high && !acc->limb[last])
        last++;
    if (last == acc->high)
        return top;
    top.negative = acc->limb[first - 1] >> 63;
    const uint64_t sign = (uint64_t)0 - (uint64_t)top.negative;
    do
        top.hi = magnitude(acc, last, --first, sign);
    while (!top.hi);
    top.lo = first > last ? magnitude(acc, last, first - 1, sign) : 0;
    top.exponent = 64 * ((int)first - 1) - SUMMAND__ORIGIN;
    top.sticky = last + 2 < first;
    return summand__leading_normalise(top,
                                      first > last + 1 ? magnitude(acc, last, first - 2, sign) : 0);
}

uint64_t summand__leading_to_f64(struct summand__leading top)
{
    return summand__leading_round(top, 53, -1022) | (uint64_t)top.negative << 63;
}

uint32_t summand__leading_to_f32(struct summand__leading top)
{
    return (uint32_t)summand__leading_round(top, 24, -126) | (uint32_t)top.negative << 31;
}

double summand_exact_round(const summand_exact *acc)
{
    switch (summand__exact_special(acc->flags)) {
    case SUMMAND__SEEN_NAN:
        return summand__f64_of_bits(SUMMAND__NAN_F64);
    case SUMMAND__SEEN_PLUS_INF:
        return summand__f64_of_bits(SUMMAND__INF_F64);
    case SUMMAND__SEEN_MINUS_INF:
        return summand__f64_of_bits(SUMMAND__INF_F64 | SUMMAND__SIGN_F64);
    case SUMMAND__SEEN_MINUS_ZERO:
        return -0.0;
    default:
        return summand__f64_of_bits(summand__leading_to_f64(summand__exact_leading(acc)));
    }
}

float summand_exact_round_f32(const summand_exact *acc)
{
    uint32_t bits;
    switch (summand__exact_special(acc->flags)) {
    case SUMMAND__SEEN_NAN:
        bits = UINT32_C(0x7fc00000);
        break;
    case SUMMAND__SEEN_PLUS_INF:
        bits = UINT32_C(0x7f800000);
        break;
    case SUMMAND__SEEN_MINUS_INF:
        bits = UINT32_C(0xff800000);
        break;
    case SUMMAND__SEEN_MINUS_ZERO:
        bits = UINT32_C(0x80000000);
        break;
    default:
        bits = summand__leading_to_f32(summand__exact_leading(acc));
    }
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

void summand_exact_round2(const summand_exact *acc, double *hi, double *lo)
{
    *hi = summand_exact_round(acc);
    *lo = 0.0;
    const uint64_t bits = summand__bits_f64(*hi);
    if ((bits & ~SUMMAND__SIGN_F64) >= SUMMAND__INF_F64 || acc->low == acc->high)
        return;
    summand_exact rest;
    rest.flags = 0;
    rest.low = acc->low;
    rest.high = acc->high;
    memcpy(rest.limb + rest.low, acc->limb + acc->low,
           (size_t)(acc->high - acc->low) * sizeof *acc->limb);
    summand__exact_add_one(&rest, summand__f64_of_bits(bits ^ SUMMAND__SIGN_F64));
    *lo = summand__f64_of_bits(summand__leading_to_f64(summand__exact_leading(&rest)));
}
