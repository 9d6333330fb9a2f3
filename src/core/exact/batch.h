/* SPDX-License-Identifier: BSD-3-Clause */
/* Many exact sums that travel together. Each is a pair of doubles (kernel/pairs.h) plus, if the
 * pair does not hold all of it, an accumulator. Few terms of similar size need only the pair, so
 * they are merged, packed and rounded by vectors across the sums. The value of a sum does not
 * depend on its form: it is rounded once, at the end. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exact/limbs.h"
#include "kernel/pass.h"

/* The memory of k sums: summand__batch_bytes(k) bytes, aligned to 8. */
struct summand__batch {
    size_t k;
    uint64_t *seen; /* a bit for each sum whose pair has a term; other pairs are 0 */
    uint64_t *kept; /* a bit for each sum that has an accumulator; the others' are not set */
    double *hi, *lo;
    summand_exact *sum;
};

size_t summand__batch_bytes(size_t k);
struct summand__batch summand__batch_at(void *memory, size_t k);

/* Makes all sums empty. */
void summand__batch_clear(const struct summand__batch *batch);

/* Adds the n terms of one kind to sum i. */
void summand__batch_add_terms(const struct summand__batch *batch, size_t i,
                              enum summand__pass_kind kind, bool f32, size_t n, const void *x,
                              const void *y);

/* The same with a fast path for one double and an empty sum. */
static inline void summand__batch_add(const struct summand__batch *batch, size_t i,
                                      enum summand__pass_kind kind, bool f32, size_t n,
                                      const void *x, const void *y)
{
    const uint64_t bit = UINT64_C(1) << i % 64;
    uint64_t bits;
    if (n == 1 && kind == SUMMAND__PASS_SUM && !f32 && !(batch->seen[i / 64] & bit)) {
        memcpy(&bits, x, sizeof bits);
        if (bits != SUMMAND__SIGN_F64) { /* -0.0 needs the flags of an accumulator */
            memcpy(&batch->hi[i], &bits, sizeof bits);
            batch->seen[i / 64] |= bit;
            return;
        }
    }
    summand__batch_add_terms(batch, i, kind, f32, n, x, y);
}

/* into += from. Cost: a few additions per sum, some 30 ns more for each with accumulators. */
void summand__batch_merge(const struct summand__batch *from, const struct summand__batch *into);
/* to = from; both of k sums. */
void summand__batch_copy(const struct summand__batch *from, const struct summand__batch *to);

/* The wire form: a word that names the parts that follow, and holds the masks of few sums; the
 * masks of more sums; hi and lo if they are not all zeros; the existing accumulators, as
 * summand_exact_pack writes them. Words have the byte order of the machine. Returns the bytes
 * written. */
size_t summand__batch_pack(const struct summand__batch *batch, void *bytes);
size_t summand__batch_packed_most(size_t k);
/* Reads it; 0 if it is not a wire form of k sums. */
size_t summand__batch_unpack(const struct summand__batch *batch, const void *bytes);

/* Rounds all sums once, into k doubles or floats. */
void summand__batch_round(const struct summand__batch *batch, bool f32, void *results);
/* Sum i as one accumulator. */
void summand__batch_sum(const struct summand__batch *batch, size_t i, summand_exact *sum);
