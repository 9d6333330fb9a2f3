/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranges of global indices of all ranks: gathered, checked and sorted. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "comm/state.h"
#include "plan/signature.h"

/* This rank's part of one distributed array. start < 0: it follows the parts of lower ranks. */
struct summand__part {
    int64_t start, count;
};

struct summand__layout {
    bool refused;     /* the ranks did not agree: each has an error, and none continues */
    int *rank_of;     /* position in index order -> rank; NULL: rank order */
    uint64_t *starts; /* if requested: start of array i at position s, [i * (ranks + 1) + s] */
};

/* Collective: agrees on `code`, this rank's error so far, and on `signature`, like summand__agree;
 * then gathers the parts of all ranks. The agreement carries the parts of one array on up to
 * SUMMAND__TELLING ranks. Otherwise messages with the plan's tag do, which is aborted if this rank
 * may have left the agreement. Sets the starts of this rank's k parts. One order of the ranks must
 * fit all k arrays. With `keep` the layout holds the starts of all ranks. Returns an MPI error
 * code: SUMMAND_ERR_DISTRIBUTION, on all ranks, if the parts do not tile 0..N-1; SUMMAND_ERR_MEMORY
 * and errors of the transport perhaps on some ranks only. */
int summand__layout_make(struct summand__state *state, int code,
                         const struct summand__signature *signature, int tag, int k,
                         struct summand__part *parts, bool keep, struct summand__layout *layout);
void summand__layout_free(struct summand__layout *layout);
