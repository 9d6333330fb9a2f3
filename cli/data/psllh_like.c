/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/data/psllh_like.h"

#include "base/random.h"

static double uniform(uint64_t seed, uint64_t index)
{
    return summand__unit(summand__random_at(seed, index));
}

/* Uses additions and multiplications alone, so every machine makes the same values. One site in
 * eight repeats one of 16 patterns, like constant sites. */
static double value(uint64_t seed, uint64_t i)
{
    double u = uniform(seed, 2 * i), v = uniform(seed, 2 * i + 1);
    if (v < 0.125)
        u = uniform(seed ^ 0x517e, (uint64_t)(v * 128));
    double tail = u * u;
    tail *= tail;
    return -1.05 - 6.0 * u - 40.0 * u * tail - 110.0 * tail * tail * tail * tail;
}

void psllh_like_fill(uint64_t seed, uint64_t first, uint64_t count, double *values)
{
    for (uint64_t i = 0; i < count; i++)
        values[i] = value(seed, first + i);
}
