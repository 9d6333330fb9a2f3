/* SPDX-License-Identifier: BSD-3-Clause */
/* The indices of one dimension that two processes have in common, as few regular sets. */
#pragma once

#include <stddef.h>

#include "shape/cyclic.h"

/* `teeth` runs of `width` indices each. A run is contiguous in memory at both ends. The first one
 * begins at `from` and at `to`, each further one `from_step` and `to_step` later. */
struct summand__comb {
    size_t from, to, width, teeth, from_step, to_step;
};

struct summand__combs {
    struct summand__comb *comb;
    size_t length, capacity;
    size_t total, runs; /* indices and teeth of all combs */
    bool failed;        /* out of memory */
};

/* The place of indices at each end: in the process's memory, or in the message, which has all
 * common indices in order. */
enum summand__view { SUMMAND__VIEW_SENDER, SUMMAND__VIEW_RECEIVER, SUMMAND__VIEW_LOCAL };

/* The combs of all indices in both shares, in order; the caller frees them. Cost: linear in the
 * intervals of both. */
void summand__combs_make(struct summand__combs *combs, const struct summand__share *from,
                         const struct summand__share *to, enum summand__view view);
/* The same for indices [begin, end) only. */
void summand__combs_within(struct summand__combs *combs, const struct summand__share *from,
                           const struct summand__share *to, enum summand__view view, int64_t begin,
                           int64_t end);
void summand__combs_free(struct summand__combs *combs);

/* The combs of the indices number `begin` to `begin + count - 1` of `combs`; the caller frees them.
 * If indices lie in a message (`view`), they begin at 0 again. */
void summand__combs_slice(struct summand__combs *slice, const struct summand__combs *combs,
                          size_t begin, size_t count, enum summand__view view);

/* The number of rectangles of a comb whose rows are its indices: one if runs are single indices, at
 * any distance; else one per run. */
static inline size_t summand__comb_pieces(const struct summand__comb *comb)
{
    return comb->width == 1 ? 1 : comb->teeth;
}
size_t summand__combs_pieces(const struct summand__combs *combs);

/* Tooth number `k`, and rectangle number `k`, as combs of single indices. */
struct summand__comb summand__comb_run(const struct summand__comb *comb, size_t k);
struct summand__comb summand__comb_piece(const struct summand__comb *comb, size_t k);
