/* SPDX-License-Identifier: BSD-3-Clause */
/* One rounding to nearest even of an exact value, from its leading 128 bits and a sticky bit. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Magnitude of a value: (hi 2^64 + lo + [sticky: something below 1]) 2^exponent, with the highest
 * bit of hi set unless the value is zero. */
struct summand__leading {
    uint64_t hi, lo;
    int exponent;
    bool negative, sticky;
};

/* Moves the highest bit, which must be in hi, to its place; `below` are the 64 bits below lo. */
static inline struct summand__leading summand__leading_normalise(struct summand__leading top,
                                                                 uint64_t below)
{
    const int shift = __builtin_clzll(top.hi);
    if (shift) {
        top.hi = top.hi << shift | top.lo >> (64 - shift);
        top.lo = top.lo << shift | below >> (64 - shift);
        below <<= shift;
    }
    top.exponent -= shift;
    top.sticky |= below != 0;
    return top;
}

/* Bits without the sign of a binary format with `digits` bits of precision, of which the lowest
 * normal number is 2^emin. Denormals lose more digits; a carry out of the digits runs into the
 * exponent field, as it should, up to infinity. */
static inline uint64_t summand__leading_round(struct summand__leading top, int digits, int emin)
{
    if (!top.hi)
        return 0;
    const int e = top.exponent + 127;
    const int drop = 64 - digits + (e < emin ? emin - e : 0);
    if (e > 1 - emin)
        return (uint64_t)(3 - 2 * emin) << (digits - 1);
    if (drop > 64)
        return 0;
    const uint64_t kept = drop < 64 ? top.hi >> drop : 0;
    const uint64_t rest = drop < 64 ? top.hi << (64 - drop) : top.hi;
    const bool more = rest << 1 || top.lo || top.sticky;
    const uint64_t up = rest >> 63 && (more || (kept & 1));
    return (e < emin ? 0 : (uint64_t)(e - emin) << (digits - 1)) + kept + up;
}
