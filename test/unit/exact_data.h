/* SPDX-License-Identifier: BSD-3-Clause */
/* Families of data for the tests of exact sums: each targets a possible shortcut. */
#pragma once

#include <float.h>

#include "unit/exact_oracle.h"

enum { FAMILIES = 23 };

static inline double special_value(void)
{
    static const double values[] = {INFINITY, -INFINITY, NAN,      0.0,
                                    -0.0,     DBL_MAX,   -DBL_MAX, 0x1p-1074};
    return values[random_below(sizeof values / sizeof *values)];
}

/* Element i of family f. */
static inline double family_value(unsigned f, size_t i)
{
    static double scale = 1;
    switch (f) {
    case 0: /* like log-likelihoods */
        return -exp(9 * fabs(random_unit()) - 4.5);
    case 1:
        return random_unit() + random_unit() + random_unit();
    case 2: /* small integers: cancellation to zero, many zeros */
        return (double)((int)random_below(7) - 3);
    case 3:
        return random_finite();
    case 4: /* ordinary exponents, 100 binary digits of range */
        return random_field(973, 1073);
    case 5: /* another range in every block */
        if (i % 1000 == 0)
            scale = ldexp(1, (int)random_below(1800) - 900);
        return random_unit() * scale;
    case 6: /* one outlier */
        return i == 300 ? 0x1p900 : random_unit();
    case 7: /* cancels pairwise, but for the last */
        scale = i % 2 ? -scale : random_finite();
        return scale;
    case 8: /* partial sums overflow */
        return random_field(2040, 2047);
    case 9: /* denormals */
        return random_field(0, 2);
    case 10: /* squares underflow, or nearly */
        return random_field(500, 520);
    case 11: /* special values at random places */
        return random_below(500) ? random_unit() : special_value();
    case 12:
        return -0.0;
    case 13: /* -0.0 until late */
        return i > 200 && random_below(100) == 0 ? 0.0 : -0.0;
    case 14: /* all of one sign and size: the largest drift */
        return 1 - DBL_EPSILON;
    case 15: /* ties: 1 and many halves of its last bit */
        return i == 0 ? 1 : (i % 2 ? DBL_EPSILON / 2 : -DBL_EPSILON / 4);
    case 16: /* the largest first, then much less */
        return i < 100 ? random_unit() * 0x1p60 : random_unit() * 0x1p-60;
    case 17: /* zeros first */
        return i < 400 ? 0 : random_unit();
    case 18: /* grows */
        return ldexp(random_unit(), (int)(i / 16 % 400));
    case 19: /* two ranges, mixed */
        return ldexp(random_unit(), i % 3 ? 120 : -120);
    case 20: /* 1 in 500 terms is far from the others, or 1 in 60 */
        return random_below(i / 2048 % 2 ? 500 : 60) ? random_unit() : random_finite();
    case 21: /* any exponent in pairs that cancel; most have one exponent and add up */
        if (i % 5 < 3)
            return 2 - DBL_EPSILON;
        scale = i % 5 == 3 ? random_finite() : -scale;
        return scale;
    default: /* any exponent, late a NaN */
        return i == 15000 ? NAN : random_finite();
    }
}
