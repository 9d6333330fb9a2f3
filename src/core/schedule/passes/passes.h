/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes: from the schedule that an algorithm builds to the one that runs. Each is local to a rank.
 * It keeps the order of messages per peer, and their sizes, so that ranks may choose passes each by
 * itself, and the cost formulas hold. What comes out is proved like what goes in (lab/verify/). */
#ifndef SUMMAND_SCHEDULE_PASSES_PASSES_H
#define SUMMAND_SCHEDULE_PASSES_PASSES_H

#include "schedule/schedule.h"

/* The abilities of a transport, and of an operator's copies. */
struct summand__abilities {
    /* Whether messages from a peer can be combined as they arrive, and messages to it be waited
     * for before. NULL: from none. */
    bool (*combines)(const void *context, int peer);
    const void *context;
    bool nontemporal; /* writes may bypass the caches */
};

/* All passes that the abilities ask for, in place. False when out of memory; the schedule is to be
 * freed all the same. */
bool summand__passes(struct summand__schedule *schedule,
                     const struct summand__abilities *abilities);

/* Each of them; false when out of memory. */

/* Posts a round's messages before its other steps, which run meanwhile in their order: steps are
 * issued one after the other. Cost: linear. */
bool summand__hoist(struct summand__schedule *schedule);

/* Posts a round's sends before its receives from peers that combine, which lie at hand whenever
 * these are posted: so what others wait for is on its way first. For rounds whose messages stand in
 * front, and without messages to all. Cost: linear. */
bool summand__sends_first(struct summand__schedule *schedule,
                          const struct summand__abilities *abilities);

/* Posts late receives from peers that combine in their last round, so they are no longer late.
 * Such messages lie at hand wherever they are received, and those that are only combined are best
 * received right before. That the schedules end all the same is what the proof is about
 * (schedule.h). Cost: linear. */
bool summand__defer(struct summand__schedule *schedule, const struct summand__abilities *abilities);

/* Receives and combines in one step: elements that are only received to be combined are handed to
 * the operator where they arrive, which saves a pass over memory. A reduce step goes with the
 * receive of its operand in the round before if that makes no difference to any region that is read
 * afterwards: reduce steps of a round from the first on, in the order of their receives, as long as
 *   - the operand is not read again, if the result lies elsewhere;
 *   - messages of the receiving round do not touch the result or the other operand, but for sends
 *     of the very elements of the result to peers that combine, and receives before that combine;
 * and a copy of the sendbuf to the result's place in the receiving round goes with it as well.
 * Cost: linear, with a bound on how far ahead operands are looked for. */
bool summand__recv_reduce(struct summand__schedule *schedule,
                          const struct summand__abilities *abilities);

/* Marks steps that write elements of the recvbuf that no later step reads: results, or what is
 * written again. Cost: linear in the steps, times the number of separate ranges that are still
 * read. */
bool summand__nontemporal(struct summand__schedule *schedule);

#endif
