/* SPDX-License-Identifier: BSD-3-Clause */
/* Proves the order of stages on groups of ranks (train/order.h) by playing it. The cells that a
 * product or a copy accesses in a group belong to it from the group's start of it to its finish. A
 * finish may last until all groups that take part have started it. So it is enough that
 * - in each group nothing touches what belongs to something else, and every reader finds the piece,
 *   the batch or the version that the mode promises;
 * - the groups' starts of the same product are of the same piece, batch or version;
 * - all groups come to their ends, at any speed: a start waits for nothing and a finish only for
 *   starts, so one play that ends proves this for all.
 *
 * The ranks of a group all do the same acts, so the group stands for them. If F(g) takes the newest
 * version, that depends on times: then the proof plays several choices, the oldest and the newest
 * that it may take and some between.
 *
 * This is no proof of schedules (lab/verify/prove_steps.h), as those of pipelines and of twins are.
 * Its unit is a product of a whole group, which uses memory from its start to a finish anywhere
 * later in the list, beside hundreds of others. A step uses memory in its round, and a message up
 * to SUMMAND__MOST_LAG rounds longer. A group touches only its own memory, so no clock is needed:
 * the knowledge of other groups decides only when a finish ends. */
#pragma once

#include "train/order.h"

enum train_order_choice { TRAIN_TAKES_OLDEST, TRAIN_TAKES_NEWEST, TRAIN_TAKES_ANY };

struct train_order_case {
    struct train_order order;
    bool momentum;
    bool partial; /* the last batch has its own plans, as it is smaller */
    enum train_order_choice choice;
};

/* A broken order: it lacks act number `act` of a group, or has one slot less. */
struct train_order_flaw {
    bool slot_less;
    int group; /* -1: none */
    size_t act;
    struct train_order_act *left_out; /* [out] the missing act; or NULL */
};

enum train_order_result {
    TRAIN_ORDER_HOLDS,
    TRAIN_ORDER_BREAKS, /* `fault` says why */
    TRAIN_ORDER_UNTRIED /* the group has no such act, or memory ran out */
};

/* One case; `flaw` may be NULL. */
enum train_order_result train_prove_order(const struct train_order_case *what,
                                          const struct train_order_flaw *flaw, char *fault,
                                          size_t room);

/* Proves all cases of a mode in so many groups, up to TRAIN_PROOF_STAGES: batches in flight,
 * pieces, layers, momentum, a smaller last batch. Adds to `proofs`; false after writing the first
 * fault. */
bool train_prove_orders(enum train_delay delay, bool twins, bool newest, int groups, size_t *proofs,
                        char *fault, size_t room);
