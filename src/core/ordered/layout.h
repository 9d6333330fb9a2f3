/* SPDX-License-Identifier: BSD-3-Clause */
/* Which rank holds which range of global indices: gathered from all ranks, checked, sorted. */
#ifndef SUMMAND_ORDERED_LAYOUT_H
#define SUMMAND_ORDERED_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "comm/state.h"
#include "plan/signature.h"

/* This rank's part of one distributed array. start < 0: it follows the lower ranks' parts. */
struct summand__part {
    int64_t start, count;
};

struct summand__layout {
    bool refused;     /* the ranks did not agree: each has an error, and none goes on */
    int *rank_of;     /* position in index order -> rank, or NULL: rank order */
    uint64_t *starts; /* if asked for: of array i at position s, [i * (ranks + 1) + s] */
};

/* Collective: agrees on `code`, this rank's error so far, and on `signature` as summand__agree
 * does, then gathers the parts of all ranks. The parts of one array on up to SUMMAND__TELLING ranks
 * travel with the agreement. Others take messages with the plan's tag, which is aborted if this
 * rank may have parted from the others.
 * Sets the starts of this rank's k parts. One order of the ranks must fit all k arrays. With `keep`
 * the layout holds the starts of all ranks. Returns an MPI error code: SUMMAND_ERR_DISTRIBUTION, on
 * all ranks, where the parts do not tile 0..N-1; SUMMAND_ERR_MEMORY and errors of the transport may
 * be some ranks' alone. */
int summand__layout_make(struct summand__state *state, int code,
                         const struct summand__signature *signature, int tag, int k,
                         struct summand__part *parts, bool keep, struct summand__layout *layout);
void summand__layout_free(struct summand__layout *layout);

#endif
