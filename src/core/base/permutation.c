/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/permutation.h"

#include "base/random.h"

static inline uint64_t scramble(uint64_t half, uint64_t key)
{
    uint64_t h = (half ^ key) * 0x9fb21c651e98df25u;
    h ^= h >> 29;
    return (h * 0xd6e8feb86659fd93u) >> 32;
}

void summand__permutation_make(struct summand__permutation *p, uint64_t n, uint64_t seed,
                               uint64_t round)
{
    int bits = 2;
    while (bits < 63 && ((uint64_t)1 << bits) < n)
        bits++;
    p->n = n;
    p->low_bits = (bits + 1) / 2;
    p->low_mask = ((uint64_t)1 << p->low_bits) - 1;
    p->high_mask = ((uint64_t)1 << (bits - p->low_bits)) - 1;
    p->steps = bits < 16 ? SUMMAND__FEISTEL_MOST : 4;
    uint64_t base = summand__stream(seed, 0x70657200u + round);
    for (int s = 0; s < SUMMAND__FEISTEL_MOST; s++)
        p->key[s] = summand__mix(base + (uint64_t)s);
}

static inline uint64_t forward(const struct summand__permutation *p, uint64_t k)
{
    uint64_t low = k & p->low_mask, high = k >> p->low_bits;
    for (int s = 0; s < p->steps; s += 2) {
        low ^= scramble(high, p->key[s]) & p->low_mask;
        high ^= scramble(low, p->key[s + 1]) & p->high_mask;
    }
    return high << p->low_bits | low;
}

static inline uint64_t backward(const struct summand__permutation *p, uint64_t i)
{
    uint64_t low = i & p->low_mask, high = i >> p->low_bits;
    for (int s = p->steps; s > 0; s -= 2) {
        high ^= scramble(low, p->key[s - 1]) & p->high_mask;
        low ^= scramble(high, p->key[s - 2]) & p->low_mask;
    }
    return high << p->low_bits | low;
}

uint64_t summand__permutation_at(const struct summand__permutation *p, uint64_t k)
{
    do
        k = forward(p, k);
    while (k >= p->n);
    return k;
}

uint64_t summand__permutation_where(const struct summand__permutation *p, uint64_t i)
{
    do
        i = backward(p, i);
    while (i >= p->n);
    return i;
}

/* forward and backward with 4 steps; the compiler can interleave their loops over many numbers */
static inline uint64_t forward_4(const struct summand__permutation *p, uint64_t k)
{
    uint64_t low = k & p->low_mask, high = k >> p->low_bits;
    low ^= scramble(high, p->key[0]) & p->low_mask;
    high ^= scramble(low, p->key[1]) & p->high_mask;
    low ^= scramble(high, p->key[2]) & p->low_mask;
    high ^= scramble(low, p->key[3]) & p->high_mask;
    return high << p->low_bits | low;
}

static inline uint64_t backward_4(const struct summand__permutation *p, uint64_t i)
{
    uint64_t low = i & p->low_mask, high = i >> p->low_bits;
    high ^= scramble(low, p->key[3]) & p->high_mask;
    low ^= scramble(high, p->key[2]) & p->low_mask;
    high ^= scramble(low, p->key[1]) & p->high_mask;
    low ^= scramble(high, p->key[0]) & p->low_mask;
    return high << p->low_bits | low;
}

void summand__cycle_previous_of(const struct summand__permutation *p, const uint64_t *ranks,
                                size_t count, uint64_t *out)
{
    const struct summand__permutation local = *p;
    if (local.steps != 4) {
        for (size_t j = 0; j < count; j++)
            out[j] = summand__cycle_previous(p, ranks[j]);
        return;
    }
    for (size_t j = 0; j < count; j++)
        out[j] = backward_4(&local, ranks[j]);
    for (size_t j = 0; j < count; j++) {
        while (out[j] >= local.n)
            out[j] = backward_4(&local, out[j]);
        out[j] = out[j] ? out[j] - 1 : local.n - 1;
    }
    for (size_t j = 0; j < count; j++)
        out[j] = forward_4(&local, out[j]);
    for (size_t j = 0; j < count; j++)
        while (out[j] >= local.n)
            out[j] = forward_4(&local, out[j]);
}

void summand__permutation_run(const struct summand__permutation *p, uint64_t first, size_t count,
                              uint64_t *out)
{
    const struct summand__permutation local = *p;
    if (local.steps == 4)
        for (size_t j = 0; j < count; j++)
            out[j] = forward_4(&local, first + j);
    else
        for (size_t j = 0; j < count; j++)
            out[j] = forward(&local, first + j);
    for (size_t j = 0; j < count; j++)
        while (out[j] >= local.n)
            out[j] = forward(&local, out[j]);
}

uint64_t summand__cycle_next(const struct summand__permutation *p, uint64_t i)
{
    uint64_t k = summand__permutation_where(p, i) + 1;
    return summand__permutation_at(p, k == p->n ? 0 : k);
}

uint64_t summand__cycle_previous(const struct summand__permutation *p, uint64_t i)
{
    uint64_t k = summand__permutation_where(p, i);
    return summand__permutation_at(p, k ? k - 1 : p->n - 1);
}
