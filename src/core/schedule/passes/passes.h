/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes: from the schedule that an algorithm builds to the one that runs. Each is local to a rank.
 * It keeps the order of messages per peer, and their sizes. So each rank may choose passes by
 * itself, and the cost formulas hold. The output is proved like the input (lab/verify/). */
#pragma once

#include "schedule/schedule.h"

/* The abilities of a transport, and of an operator's copies. */
struct summand__abilities {
    /* True if messages from a peer can be combined as they arrive, and messages to it can be waited
     * for before. NULL: no peer. */
    bool (*combines)(const void *context, int peer);
    const void *context;
    bool nontemporal; /* writes may bypass the caches */
};

/* Runs all passes that the abilities ask for, in place. False when out of memory; the caller must
 * still free the schedule. */
bool summand__passes(struct summand__schedule *schedule,
                     const struct summand__abilities *abilities);

/* The single passes; false when out of memory. */

/* Posts a round's messages before its other steps, which run meanwhile in their order. Steps are
 * issued one by one. Cost: linear. */
bool summand__hoist(struct summand__schedule *schedule);

/* Posts a round's sends before its receives from peers that combine. Such messages are available
 * whenever the receives are posted, so the data that others wait for leave first. For rounds whose
 * messages come first, and without multicasts. Cost: linear. */
bool summand__sends_first(struct summand__schedule *schedule,
                          const struct summand__abilities *abilities);

/* Posts late receives from peers that combine in their last round, so they are no longer late. Such
 * messages are available at any time, and those that are only combined are best received right
 * before. The proof shows that the schedules still end (schedule.h). Cost: linear. */
bool summand__defer(struct summand__schedule *schedule, const struct summand__abilities *abilities);

/* Receives and combines in one step: elements that are received only to be combined go to the
 * operator where they arrive, which saves a pass over memory. A reduce step joins the receive of
 * its operand in the round before if no region that is read afterwards changes. This holds for
 * reduce steps of a round from the first on, in the order of their receives, as long as
 *   - the operand is not read again, if the result lies elsewhere;
 *   - messages of the receiving round do not touch the result or the other operand, except sends of
 *     exactly the result's elements to peers that combine, and earlier receives that combine.
 * A copy of the sendbuf to the result's place in the receiving round joins as well. Cost: linear;
 * the search for later uses of an operand is bounded. */
bool summand__recv_reduce(struct summand__schedule *schedule,
                          const struct summand__abilities *abilities);

/* Marks steps that write elements of the recvbuf that no later step reads: results, or elements
 * that are overwritten. Cost: linear in the steps, times the number of separate ranges that are
 * still read. */
bool summand__nontemporal(struct summand__schedule *schedule);
