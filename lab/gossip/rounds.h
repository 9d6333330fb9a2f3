/* SPDX-License-Identifier: BSD-3-Clause */
/* Round-based gossip of N state machines in one process: HPS, HPFLC, HPFCC, spread, recursive
 * doubling and ARDB on their schedules, and push-sum and its kin on a topology, one push per node
 * and round. */
#pragma once

#include "gossip/fault.h"
#include "gossip/machine.h"
#include "gossip/topology.h"

struct summand__rounds_setup {
    const struct summand__gossip_algorithm *algorithm;
    const struct summand__arith *arith;
    int64_t n;
    uint64_t seed; /* of the schedule */
    double tau;    /* below 0: default */
    int threads;   /* 0: all processors */
    bool maximum;
    const struct summand__topology *topology; /* for algorithms without a schedule of their own */
    /* value i, magnitude at most 1, and the true result */
    double (*value)(const void *context, int64_t i);
    const void *context;
    double truth;
    double loss; /* probability that a push is lost; queries and answers are never lost */
    /* of a variant that sees its partner (lab/gossip/variants.h), or NULL */
    void (*look)(struct summand__gossip_node *node, const struct summand__gossip_node *partner);
    bool ordered; /* the ends of an edge of the topology take turns (machine.h) */
};

struct summand__rounds_fault {
    struct summand__fault fault;
    int64_t rank;
};

struct summand__rounds {
    struct summand__rounds_setup setup;
    int round; /* rounds done */
    int width;
    struct summand__gossip_node **nodes;
    struct summand__random random; /* of faults and of neighbours */
    union summand__word *room;     /* messages of a round, if they are not passed along a cycle */
    int64_t *to, *version;
    uint64_t messages; /* including lost ones */
    uint64_t missed;   /* nodes that stayed dirty and pushed nothing in a round */
};

/* Returns false when out of memory. */
bool summand__rounds_open(struct summand__rounds *sim, const struct summand__rounds_setup *setup);
/* One round with `faults`: inputs and flows flip before it, messages in it. */
void summand__rounds_step(struct summand__rounds *sim, const struct summand__rounds_fault *faults,
                          int count);
/* Relative errors |y - truth| / |truth| at rank 0 and the largest over all ranks; infinity for
 * NaN. */
void summand__rounds_error(struct summand__rounds *sim, double *root, double *largest);
struct summand__gossip_counts summand__rounds_counts(const struct summand__rounds *sim);
void summand__rounds_close(struct summand__rounds *sim);
