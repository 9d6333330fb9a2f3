/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects the algorithm of a call, for the collectives and all calls based on them: the caller's
 * choice; else the measured one; else the one with the least estimated time. Ranks with equal
 * queries get equal results, whatever their rounding. */
#pragma once

#include "select/tuning.h"

enum summand__selection {
    SUMMAND__SELECTED,
    SUMMAND__NONE_SELECTED,    /* the named algorithm does not do the call, or lacks promises */
    SUMMAND__SELECTION_FAILED, /* out of memory: others might choose otherwise */
};

/* `choice`: [in] the named algorithm and the set parameters, NULL and 0 if open; [out] the
 * algorithm, and its parameters: set, chosen or the query's node size. `call`: the query's, without
 * parameters. `tuning`: measured choices and their model, or NULL. Cost: choose.h, or less for a
 * repeated query. */
enum summand__selection summand__select(const struct summand__query *query,
                                        const struct summand__tuning *tuning,
                                        const struct summand__call *call,
                                        struct summand__choice *choice);

/* For operands of one element that is never cut, for instance bundles, whose sizes may differ
 * between ranks. Chooses the fewest consecutive messages, with one bracketing for reduce and
 * all-reduce, in the order of operands. `choice` as above; a named algorithm must keep `promises`
 * only. `node_size`: ranks per node for a named one. */
enum summand__selection summand__select_bundle(enum summand__collective collective, int ranks,
                                               size_t node_size, unsigned promises,
                                               struct summand__choice *choice);
