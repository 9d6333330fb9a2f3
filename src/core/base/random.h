/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers that depend on (seed, index) alone, so that a run repeats bit for bit with any
 * order, threads and algorithm. Mixer: splitmix64 (Steele, Lea, Flood, 2014). */
#pragma once

#include <math.h>
#include <stdint.h>

#include "base/hash.h"

static inline uint64_t summand__mix(uint64_t x)
{
    return summand__spread(x + SUMMAND__GOLDEN);
}

/* The seed of stream `stream` of a run: streams of one run are independent of each other. */
static inline uint64_t summand__stream(uint64_t seed, uint64_t stream)
{
    return summand__mix(summand__mix(seed) ^ (stream * 0xd1342543de82ef95u));
}

/* Number `index` of a generator that can start anywhere. */
static inline uint64_t summand__random_at(uint64_t seed, uint64_t index)
{
    return summand__spread(summand__spread(seed) + index * SUMMAND__GOLDEN);
}

struct summand__random {
    uint64_t state;
};

static inline uint64_t summand__random_bits(struct summand__random *r)
{
    uint64_t value = summand__mix(r->state);
    r->state += SUMMAND__GOLDEN;
    return value;
}

/* Uniform in [0, 1). */
static inline double summand__unit(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

static inline double summand__random_unit(struct summand__random *r)
{
    return summand__unit(summand__random_bits(r));
}

/* Uniform in 0..n-1. */
static inline uint64_t summand__random_below(struct summand__random *r, uint64_t n)
{
    return (uint64_t)(((unsigned __int128)summand__random_bits(r) * n) >> 64);
}

/* Exponential with mean 1. */
static inline double summand__random_exponential(struct summand__random *r)
{
    return -log1p(-summand__random_unit(r));
}
