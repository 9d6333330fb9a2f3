/* SPDX-License-Identifier: BSD-3-Clause */
/* Correctly rounded square root: the integer square root of the leading 128 bits has 64 bits; a
 * remainder or lower digits only decide ties. */
#include "exact/limbs.h"

#include <math.h>

#include "kernel/fpenv.h"

/* floor(sqrt(n)) for n >= 2^126: the double square root of the upper half is good to some 50 bits,
 * and one Newton step doubles them. */
static uint64_t root_of(summand__u128 n)
{
    const double guess = sqrt((double)(uint64_t)(n >> 64)) * 0x1p32;
    uint64_t r = guess >= 0x1p64 ? UINT64_MAX : (uint64_t)guess;
    const summand__i128 excess = (summand__i128)(n - (summand__u128)r * r);
    const int64_t step = (int64_t)((double)excess / (2.0 * (double)r));
    r = step > 0 && r > UINT64_MAX - (uint64_t)step ? UINT64_MAX : r + (uint64_t)step;
    while ((summand__u128)r * r > n)
        r--;
    while (r < UINT64_MAX && (summand__u128)(r + 1) * (r + 1) <= n)
        r++;
    return r;
}

static struct summand__leading root_of_leading(struct summand__leading top)
{
    summand__u128 n = (summand__u128)top.hi << 64 | top.lo;
    if (!n)
        return top;
    if (top.exponent & 1) {
        top.sticky |= n & 1;
        n >>= 1;
        top.exponent++;
    }
    const struct summand__fpenv_plain saved = summand__fpenv_enter();
    uint64_t high = (uint64_t)(n >> 64);
    SUMMAND__SETTLE(high);
    uint64_t r = root_of((summand__u128)high << 64 | (uint64_t)n);
    SUMMAND__SETTLE(r);
    summand__fpenv_leave(saved);
    top.sticky |= (summand__u128)r * r != n;
    top.hi = r;
    top.lo = 0;
    top.exponent = top.exponent / 2 - 64;
    return top;
}

/* True if the value is positive and finite: its root is in *root. Else the result is in *other. */
static bool find_root(const summand_exact *acc, struct summand__leading *root, double *other)
{
    const uint32_t special = summand__exact_special(acc->flags);
    *root = summand__exact_leading(acc);
    *other = summand_exact_round(acc);
    if (special == SUMMAND__SEEN_MINUS_INF ||
        (!(special & SUMMAND__SEEN_SPECIAL) && root->hi && root->negative))
        *other = summand__f64_of_bits(SUMMAND__NAN_F64);
    else if (!(special & SUMMAND__SEEN_SPECIAL) && root->hi) {
        *root = root_of_leading(*root);
        return true;
    }
    return false;
}

double summand_exact_sqrt(const summand_exact *acc)
{
    struct summand__leading root;
    double other;
    return find_root(acc, &root, &other) ? summand__f64_of_bits(summand__leading_to_f64(root))
                                         : other;
}

float summand_exact_sqrt_f32(const summand_exact *acc)
{
    struct summand__leading root;
    double other;
    if (!find_root(acc, &root, &other)) {
        const uint32_t nan = UINT32_C(0x7fc00000);
        float x = (float)other;
        if (summand__bits_f64(other) == SUMMAND__NAN_F64)
            memcpy(&x, &nan, sizeof x);
        return x;
    }
    const uint32_t bits = summand__leading_to_f32(root);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
