/* SPDX-License-Identifier: BSD-3-Clause */
/* Choosing what runs: the one way from a call to its algorithm, for the collectives and for all
 * that stand on them. What the caller names runs; else what was measured; else what is estimated to
 * be the fastest. Alike on all ranks that ask alike, however they round. */
#ifndef SUMMAND_SELECT_SELECT_H
#define SUMMAND_SELECT_SELECT_H

#include "select/tuning.h"

enum summand__selection {
    SUMMAND__SELECTED,
    SUMMAND__NONE_SELECTED,    /* what is named does not do the call, or not with the promises */
    SUMMAND__SELECTION_FAILED, /* out of memory: another choice would not be the other ranks' */
};

/* `choice`: [in] the algorithm that is named and the parameters that are set, NULL and 0 where they
 * are left open; [out] the algorithm, and parameters where they are set, chosen or the query's node
 * size. `call` is that of the query, without parameters. `tuning`: measured choices and their
 * model, or NULL. Cost: choose.h, or less where the same was asked before. */
enum summand__selection summand__select(const struct summand__query *query,
                                        const struct summand__tuning *tuning,
                                        const struct summand__call *call,
                                        struct summand__choice *choice);

/* For operands that are one element and never cut, such as bundles, whose size may differ on the
 * ranks: what takes the fewest messages one after another, with one bracketing for reduce and
 * all-reduce, in the order of operands. `choice` as above; an algorithm that is named must keep
 * `promises` alone. `node_size`: ranks per node of one that is named. */
enum summand__selection summand__select_bundle(enum summand__collective collective, int ranks,
                                               size_t node_size, unsigned promises,
                                               struct summand__choice *choice);

#endif
