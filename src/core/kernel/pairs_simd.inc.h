/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of pairs.h in plain C that every compiler vectorizes; each instruction set's file
 * includes it once. */
#include "kernel/pairs.h"

#include <stdint.h>
#include <string.h>

/* a + b = sum + rest, exact; the rest is NaN if the sum is not finite. */
struct pairs_two {
    double sum, rest;
};

static inline struct pairs_two pairs_two_sum(double a, double b)
{
    const double s = a + b, c = s - a;
    return (struct pairs_two){s, (a - (s - c)) + (b - c)};
}

static inline uint64_t pairs_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static bool pairs_add(const double *hi_a, const double *lo_a, double *hi_b, double *lo_b,
                      struct summand__pairs *sum, size_t n)
{
    double *restrict hi = sum->hi, *restrict lo = sum->lo;
    double *restrict rest = sum->rest[0], *restrict last = sum->rest[1];
    uint64_t odd = 0; /* bits of rests; rests are NaN if anything is not finite */
    for (size_t i = 0; i < n; i++) {
        const struct pairs_two high = pairs_two_sum(hi_a[i], hi_b[i]);
        const struct pairs_two low = pairs_two_sum(lo_a[i], lo_b[i]);
        const struct pairs_two middle = pairs_two_sum(high.rest, low.sum);
        const struct pairs_two errors = pairs_two_sum(middle.rest, low.rest);
        const struct pairs_two lower = pairs_two_sum(middle.sum, errors.sum);
        const struct pairs_two all = pairs_two_sum(high.sum, lower.sum);
        const struct pairs_two below = pairs_two_sum(all.rest, lower.rest);
        hi[i] = all.sum;
        lo[i] = below.sum;
        rest[i] = below.rest;
        last[i] = errors.rest;
        odd |= (pairs_bits(below.rest) | pairs_bits(errors.rest)) << 1;
    }
    for (size_t i = 0; i < n && !odd; i++) {
        hi_b[i] = hi[i];
        lo_b[i] = lo[i];
    }
    return !odd;
}

static bool pairs_round(const double *hi, const double *lo, void *rounded, size_t n)
{
    typedef double anywhere __attribute__((aligned(1), may_alias));
    anywhere *restrict to = rounded;
    uint64_t odd = 0;
    for (size_t i = 0; i < n; i++) {
        const double sum = hi[i] + lo[i] + 0.0;
        to[i] = sum;
        odd |= pairs_bits(sum - sum) << 1;
    }
    return !odd;
}

#define PAIRS_TABLE                                                                                \
    {                                                                                              \
        .add = pairs_add, .round = pairs_round                                                     \
    }
