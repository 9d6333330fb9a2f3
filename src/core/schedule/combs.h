/* SPDX-License-Identifier: BSD-3-Clause */
/* The indices of one dimension that two processes have in common, as few regular pieces. */
#ifndef SUMMAND_SCHEDULE_COMBS_H
#define SUMMAND_SCHEDULE_COMBS_H

#include <stddef.h>

#include "shape/cyclic.h"

/* `teeth` runs of `width` indices each. A run is contiguous in memory at both ends; the first one
 * begins at `from` and at `to`, and the next one `from_step` and `to_step` further. */
struct summand__comb {
    size_t from, to, width, teeth, from_step, to_step;
};

struct summand__combs {
    struct summand__comb *comb;
    size_t length, capacity;
    size_t total, runs; /* indices, and teeth, of all */
    bool failed;        /* out of memory */
};

/* Where indices lie at each end: in the process's memory, or in the message, which has all common
 * indices in their order. */
enum summand__view { SUMMAND__VIEW_SENDER, SUMMAND__VIEW_RECEIVER, SUMMAND__VIEW_LOCAL };

/* The combs of all indices that are in both shares, in their order; to be freed. Cost: linear in
 * the intervals of both. */
void summand__combs_make(struct summand__combs *combs, const struct summand__share *from,
                         const struct summand__share *to, enum summand__view view);
/* The same of indices [begin, end) alone. */
void summand__combs_within(struct summand__combs *combs, const struct summand__share *from,
                           const struct summand__share *to, enum summand__view view, int64_t begin,
                           int64_t end);
void summand__combs_free(struct summand__combs *combs);

/* The combs of the indices number `begin` to `begin + count - 1` of `combs`; to be freed. If
 * indices lie in a message (`view`), they begin at 0 again. */
void summand__combs_slice(struct summand__combs *slice, const struct summand__combs *combs,
                          size_t begin, size_t count, enum summand__view view);

/* The number of rectangles of a comb whose indices are their rows, at any distance: one if runs are
 * single indices, else one per run. */
static inline size_t summand__comb_pieces(const struct summand__comb *comb)
{
    return comb->width == 1 ? 1 : comb->teeth;
}
size_t summand__combs_pieces(const struct summand__combs *combs);

/* Tooth number `k` and piece number `k`, as single indices. */
struct summand__comb summand__comb_run(const struct summand__comb *comb, size_t k);
struct summand__comb summand__comb_piece(const struct summand__comb *comb, size_t k);

#endif
