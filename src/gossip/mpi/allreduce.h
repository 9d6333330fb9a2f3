/* SPDX-License-Identifier: BSD-3-Clause */
/* One all-reduce by gossip, from inputs to agreed results. */
#pragma once

#include "comm/state.h"
#include "gossip/machine.h"
#include "gossip/operands.h"
#include "gossip/topology.h"

#include <summand/gossip.h>

/* Takes the tags of a call; called at its beginning on all ranks. */
void summand__gossip_take_tags(struct summand__state *state);

/* The caller's options, or NULL, with defaults in the places of zeros. */
summand_gossip_options summand__gossip_options_of(const summand_gossip_options *given);

/* True if all ranks get the same bits. */
static inline bool summand__gossip_agrees(const summand_gossip_options *options)
{
    return options->promise != SUMMAND_PROMISE_NONE;
}

/* The constants of a call. */
struct summand__gossip_call {
    struct summand__state *state;
    summand_gossip_options options;
    const struct summand__gossip_algorithm *algorithm;
    const struct summand__arith *arith;
    struct summand__topology topology; /* of asynchronous algorithms */
    enum summand__gossip_result result;
    bool maximum, single;
    int count;
    const void *from; /* the caller's inputs, finite, read again for each slice */
    double *results;  /* three times count: a flipped bit is outvoted */
    uint32_t signature;
};

/* Collective, also for a rank with an error in `code`: then all ranks return one. Fills in results
 * and report, the same on all ranks. Returns an MPI error code: success on all ranks or on none. */
int summand__gossip_call_run(struct summand__gossip_call *call, int code,
                             summand_gossip_report *report);

/* Result k, by majority of its three copies. */
double summand__gossip_call_result(const struct summand__gossip_call *call, int k);
