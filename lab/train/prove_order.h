/* SPDX-License-Identifier: BSD-3-Clause */
/* Proof of the order of stages on groups of ranks (train/order.h), by playing it. What a product or
 * a copy reads and writes in a group belongs to it from the group's start of it to its finish, and
 * a finish may last until all groups that take part have started it; so it is enough that
 *  - in each group nothing touches what belongs to something else, and whoever begins to read finds
 *    the piece, the batch or the version that the mode promises him;
 *  - the groups' starts of the same product are of the same piece, batch or version;
 *  - all groups come to their ends, whatever the times: a start waits for nobody and a finish only
 *    for starts, so one play that ends says that all do.
 * Ranks of a group all do the same acts, and are as the group is. Where F(g) takes the newest
 * version, that depends on times: then choices are played, the oldest and the newest that it may
 * take and some between.
 *
 * It is no proof of schedules (lab/verify/prove_steps.h), as those of pipelines and of twins are.
 * Its unit is a product of a whole group, which uses memory from its start to a finish anywhere
 * later in the list, beside hundreds of others; a step uses memory in its round, and a message up
 * to SUMMAND__MOST_LAG rounds longer. And a group touches only its own memory, so no clock is
 * needed: what another group knows decides when a finish ends, and nothing else. */
#ifndef SUMMAND_LAB_TRAIN_PROVE_ORDER_H
#define SUMMAND_LAB_TRAIN_PROVE_ORDER_H

#include "train/order.h"

enum train_order_choice { TRAIN_TAKES_OLDEST, TRAIN_TAKES_NEWEST, TRAIN_TAKES_ANY };

struct train_order_case {
    struct train_order order;
    bool momentum;
    bool partial; /* the last batch has plans of its own, as it is smaller */
    enum train_order_choice choice;
};

/* An order that is no good: without act number `act` of a group; or with a slot less. */
struct train_order_flaw {
    bool slot_less;
    int group; /* -1: none */
    size_t act;
    struct train_order_act *left_out; /* [out] that one; or NULL */
};

enum train_order_result {
    TRAIN_ORDER_HOLDS,
    TRAIN_ORDER_BREAKS, /* `fault` says why */
    TRAIN_ORDER_UNTRIED /* the group has no such act, or there is no memory */
};

/* One case; `flaw` may be NULL. */
enum train_order_result train_prove_order(const struct train_order_case *what,
                                          const struct train_order_flaw *flaw, char *fault,
                                          size_t room);

/* All cases of a mode in so many groups, up to TRAIN_PROOF_STAGES: batches in flight, pieces,
 * layers, momentum, a smaller last batch. Adds to `proofs`; false after writing the first fault. */
bool train_prove_orders(enum train_delay delay, bool twins, bool newest, int groups, size_t *proofs,
                        char *fault, size_t room);

#endif
