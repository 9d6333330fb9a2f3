/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of groups while the proof plays their order (prove_order.h), and the accesses of each
 * act. */
#pragma once

#include "lab/train/prove_order.h"
#include "lab/train/prove_pipeline.h"

enum {
    TRAIN_ORDER_GROUPS = 2 * TRAIN_PROOF_STAGES,
    TRAIN_ORDER_LAYERS = TRAIN_PROOF_STAGES + 2,
    TRAIN_ORDER_SLOTS = 24
};

/* Holds the number of a piece, of a batch (velocities), or of a version. Weights that gradients
 * improve hold twice the version, plus one while the next version is begun there. */
struct train_order_cell {
    long holds;
    int readers;
    bool written; /* by an act that has started */
};

struct train_order_memory {
    const struct train_order_case *what; /* as the mode defines it */
    const struct train_order *order;     /* as it is played */
    struct train_order_group {
        struct train_order_cell x[TRAIN_ORDER_LAYERS][TRAIN_ORDER_SLOTS],
            d[TRAIN_ORDER_LAYERS][TRAIN_ORDER_SLOTS], w[TRAIN_ORDER_LAYERS][TRAIN_ORDER_SLOTS],
            come[TRAIN_ORDER_LAYERS][TRAIN_ORDER_SLOTS];
        struct train_order_cell z[TRAIN_ORDER_SLOTS], velocity[TRAIN_ORDER_LAYERS],
            taken[TRAIN_ORDER_LAYERS];
    } group[TRAIN_ORDER_GROUPS];
};

/* An act with its slot; class 1: plans of the last batch, if it is smaller. For a gradient the
 * number is the batch. */
struct train_order_item {
    struct train_order_act act;
    int class, slot;
};

struct train_order_accesses {
    struct train_order_access {
        struct train_order_cell *cell;
        long needs, leaves; /* -1: does not read; does not write */
    } of[4 * TRAIN_ORDER_SLOTS];
    int count;
};

/* At the begin: weights of version 0, and nothing else. */
void train_order_fill(struct train_order_memory *memory);

/* Lists the accesses in a group of a product, of a copy, or of an act of the group alone. */
void train_order_touches(struct train_order_memory *memory, int group,
                         const struct train_order_item *item, struct train_order_accesses *all);

/* Begins the accesses: from here on nothing else may touch these cells. Returns the error, or
 * NULL. */
const char *train_order_begin(const struct train_order_accesses *all);
void train_order_end(const struct train_order_accesses *all);

/* True if the group has the weights of that version at the end. */
bool train_order_has(const struct train_order_memory *memory, int group, size_t version);

int train_order_layers(const struct train_order *order);
int train_order_stage(const struct train_order *order, int l);
