/* SPDX-License-Identifier: BSD-3-Clause */
/* Initial data of the simulators, in [0, 1]: a function of (kind, seed, n, i), never stored. */
#pragma once

#include "base/random.h"

enum summand__data_kind {
    SUMMAND__DATA_UNIFORM, /* uniform in [0, 1) */
    SUMMAND__DATA_RAMP,    /* sorted: (i + 1) / n */
    SUMMAND__DATA_OUTLIER, /* one rank has 1, all others 1e-6 */
};

extern const char *const summand__data_names[]; /* in the order of the enum; ended by NULL */

static inline double summand__datum(enum summand__data_kind kind, uint64_t seed, int64_t n,
                                    int64_t i)
{
    if (kind == SUMMAND__DATA_RAMP)
        return (double)(i + 1) / (double)n;
    if (kind == SUMMAND__DATA_OUTLIER)
        return i == (int64_t)(summand__mix(seed) % (uint64_t)n) ? 1 : 1e-6;
    return summand__unit(summand__mix(seed ^ (uint64_t)i * SUMMAND__GOLDEN));
}

/* The mean of all n values; exact to 2^-53 for any number of threads. Cost: n values, about 1 ns
 * each. */
double summand__data_mean(enum summand__data_kind kind, uint64_t seed, int64_t n, int threads);
