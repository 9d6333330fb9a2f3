/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of two doubles without loss. The caller has entered the default floating-point environment.
 */
#pragma once

#include "exact/limbs.h"

/* a + b = s + *rest, exact (Knuth 1969). */
static inline double summand__two_sum(double a, double b, double *rest)
{
    const double s = a + b, c = s - a;
    *rest = (a - (s - c)) + (b - c);
    return s;
}

/* a + b rounded to odd: the last bit is set if anything was cut off, so that a later rounding to
 * fewer digits is right (Boldo and Melquiond 2008). */
static inline double summand__add_to_odd(double a, double b)
{
    double rest;
    const double s = summand__two_sum(a, b, &rest);
    uint64_t bits = summand__bits_f64(s);
    if (rest != 0 && !(bits & 1))
        bits += (rest > 0) == (s > 0) ? 1 : UINT64_MAX;
    return summand__f64_of_bits(bits);
}
