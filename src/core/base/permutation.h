/* SPDX-License-Identifier: BSD-3-Clause */
/* Random permutations of 0..n-1 that need no storage: a Feistel network (Luby and Rackoff, 1988) on
 * ceil(log2 n) bits with cycle walking (Black and Rogaway, 2002), keyed by (seed, round). The
 * round's communication pattern is one cycle through all ranks: rank sigma(k) sends to sigma(k + 1
 * mod n). */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SUMMAND__FEISTEL_MOST = 8 };

struct summand__permutation {
    uint64_t n;
    int low_bits; /* of the right half; the left half has the rest */
    int steps;    /* 4; or 8 below 2^16, because halves of few bits mix less */
    uint64_t low_mask, high_mask;
    uint64_t key[SUMMAND__FEISTEL_MOST];
};

/* n in 1..2^63. */
void summand__permutation_make(struct summand__permutation *p, uint64_t n, uint64_t seed,
                               uint64_t round);
/* sigma(k) */
uint64_t summand__permutation_at(const struct summand__permutation *p, uint64_t k);
/* the k with sigma(k) = i */
uint64_t summand__permutation_where(const struct summand__permutation *p, uint64_t i);
/* out[j] = sigma(first + j), j < count; the form that vectorises */
void summand__permutation_run(const struct summand__permutation *p, uint64_t first, size_t count,
                              uint64_t *out);
/* the successor and the predecessor of i on the cycle */
uint64_t summand__cycle_next(const struct summand__permutation *p, uint64_t i);
uint64_t summand__cycle_previous(const struct summand__permutation *p, uint64_t i);
/* out[j]: the predecessor of ranks[j]; the form that keeps the processor busy */
void summand__cycle_previous_of(const struct summand__permutation *p, const uint64_t *ranks,
                                size_t count, uint64_t *out);
