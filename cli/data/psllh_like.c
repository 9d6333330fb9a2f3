/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/data/psllh_like.h"

/* A generator that can start anywhere: the finalizer of SplitMix64 (Steele, Lea, Flood 2014) on a
 * counter. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* In [0, 1), 53 bits. */
static double uniform(uint64_t seed, uint64_t index)
{
    return (double)(mix(mix(seed) + index * 0x9e3779b97f4a7c15u) >> 11) * 0x1p-53;
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
