/* SPDX-License-Identifier: BSD-3-Clause */
/* A gossip algorithm as a state machine: start, tick, receive, estimate. The simulators and the MPI
 * runner drive the same machines, and do not interpret messages. */
#pragma once

#include "gossip/arith.h"

#include <stdbool.h>
#include <stdint.h>

enum summand__gossip_kind {
    SUMMAND__MASS, /* a flow, a share of mass or a value, depending on the algorithm */
    SUMMAND__ASK,  /* "send me your copy of our flow" */
    SUMMAND__GIVE, /* the answer: the sender's copy of the flow */
};

struct summand__gossip_message {
    int64_t peer; /* receiver */
    enum summand__gossip_kind kind;
    bool damaged;    /* the driver knows that it differs from the sent message */
    int64_t version; /* of the flow, if edges are ordered; the driver passes it on */
    union summand__word body[SUMMAND__GOSSIP_WIDTH];
};

/* Messages that a machine wants sent; emptied by the driver. */
struct summand__gossip_outbox {
    int count, capacity;
    struct summand__gossip_message *messages;
};

struct summand__gossip_counts {
    uint64_t bad_messages; /* messages whose checksum did not hold */
    uint64_t bad_states;   /* checks that found the rank's own state bad */
    uint64_t repairs;      /* flows restored from the partner's copy, inputs from the second copy */
    uint64_t resets;       /* flows set to zero */
};

struct summand__gossip_node;
struct summand__gossip_algorithm;

struct summand__gossip_setup {
    const struct summand__gossip_algorithm *algorithm;
    const struct summand__arith *arith;
    int64_t rank, ranks;
    int count;    /* values */
    double tau;   /* threshold of the checksum relative to the scale; below 0: the default */
    bool maximum; /* spread: the maximum rather than the minimum */
    bool sealed;  /* each flow has a seal, which detects flips that its checksum misses */
    bool ordered; /* asynchronous flows: the two ends of an edge take turns, so that messages that
                     cross do not undo each other. Without it weights may pass through 0 */
    int slots;    /* flows to make room for at the start */
};

struct summand__partners {
    int64_t to, from; /* -1: no rank in this round */
};

enum summand__gossip_style { SUMMAND__ASYNCHRONOUS, SUMMAND__ROUNDS };

struct summand__gossip_algorithm {
    const char *name, *description;
    enum summand__gossip_style style;
    const char *resilient; /* faults to which it is resilient */
    const char *cost;      /* per round and rank; n words of data */
    bool flows;            /* keeps flows: a partner's loss can be undone */
    bool checked;          /* messages and flows carry a checksum that is verified */
    bool cooperative;      /* a bad flow is fetched from the partner, not set to zero */
    bool extremum;         /* computes min or max, the others averages */
    bool study;            /* needs the true value: only for the simulators */
    double tau[3];         /* default threshold in double, single, fixed */
    /* Asynchronous algorithms: NULL, the driver draws a neighbour. */
    struct summand__partners (*partners)(uint64_t seed, int64_t ranks, int round, int64_t rank);
    int (*rounds)(int64_t ranks); /* NULL: any number of rounds */
    void (*start)(struct summand__gossip_node *node);
    /* Checks the own state, and asks others for the data to repair it; true if it must be repaired
     * before the next tick. NULL: never. */
    bool (*check)(struct summand__gossip_node *node, struct summand__gossip_outbox *outbox);
    void (*tick)(struct summand__gossip_node *node, int64_t to,
                 struct summand__gossip_outbox *outbox);
    void (*receive)(struct summand__gossip_node *node, int64_t from,
                    const struct summand__gossip_message *message,
                    struct summand__gossip_outbox *outbox);
    void (*estimate)(const struct summand__gossip_node *node, double *y); /* count values */
    /* Handles the reported loss of a process: drops the flow between it and this node. */
    void (*exclude)(struct summand__gossip_node *node, int64_t gone);
};

/* Of an ordered edge. */
struct summand__turn {
    int64_t version; /* pushes so far from both ends */
    int64_t missed; /* times that the edge was drawn since then while it was the other end's turn */
};

struct summand__gossip_node {
    const struct summand__gossip_algorithm *algorithm;
    const struct summand__arith *arith;
    int64_t rank, ranks;
    double tau;
    int width;
    int slots, capacity; /* of flows */
    bool maximum, sealed, ordered;
    bool failed, lost; /* out of memory; both copies of the own mass are damaged */
    uint64_t seal[2];  /* of own and of copy */
    int64_t *partners;
    uint64_t *seals;             /* of the flows, with their partners; NULL unless sealed */
    struct summand__turn *turns; /* of the flows; NULL unless ordered */
    union summand__word *flows;  /* slots x width: flow to partners[s] is minus the net mass sent */
    union summand__word *own;    /* the initial mass; the current one if there are no flows */
    union summand__word *copy;   /* a second copy of the initial mass */
    struct summand__gossip_counts counts;
};

/* Returns NULL when out of memory or the setup is wrong. values: count numbers of magnitude at most
 * 1; the mass is (weight * values, weight). */
struct summand__gossip_node *summand__gossip_start(const struct summand__gossip_setup *setup,
                                                   const double *values, double weight);
void summand__gossip_free(struct summand__gossip_node *node);

/* Appends a message; body NULL sends zeros. */
void summand__gossip_post(struct summand__gossip_outbox *outbox,
                          const struct summand__gossip_node *node, int64_t peer,
                          enum summand__gossip_kind kind, const union summand__word *body);
void summand__gossip_outbox_free(struct summand__gossip_outbox *outbox);

/* The flow kept with `partner`, made at first use; NULL when out of memory. */
union summand__word *summand__gossip_flow(struct summand__gossip_node *node, int64_t partner);
/* The same without making it. */
union summand__word *summand__gossip_find(const struct summand__gossip_node *node, int64_t partner);
/* Call this after writing a flow. */
void summand__gossip_sign(struct summand__gossip_node *node, const union summand__word *flow);
void summand__gossip_total(const struct summand__gossip_node *node, union summand__word *total);
/* The mass that a node holds now. */
void summand__gossip_mass(const struct summand__gossip_node *node, union summand__word *mass);
bool summand__gossip_bad(const struct summand__gossip_node *node, const union summand__word *mass);
bool summand__gossip_bad_flow(const struct summand__gossip_node *node, int slot);
bool summand__gossip_bad_message(const struct summand__gossip_node *node,
                                 const struct summand__gossip_message *message);
/* True if the sum of own mass and flows, or a flow's seal, is bad. */
bool summand__gossip_bad_state(const struct summand__gossip_node *node);
/* Takes a good message's flow, unless it is older than the stored one. */
void summand__gossip_take_flow(struct summand__gossip_node *node, union summand__word *flow,
                               const struct summand__gossip_message *message);
/* Adds half of e to the flow to `to`, and posts the flow. If edges are ordered and it is not this
 * node's turn, it takes the next neighbour with a turn. Otherwise it posts the flow to `to` again
 * if nothing has arrived for a while or it is no node's turn: the last push may have been lost. */
void summand__gossip_push(struct summand__gossip_node *node, const union summand__word *e,
                          int64_t to, struct summand__gossip_outbox *outbox);
/* Compares the initial mass with its second copy, and restores the copy that changed. */
void summand__gossip_guard(struct summand__gossip_node *node);
/* y = values / weight of a mass. */
void summand__gossip_quotient(const struct summand__gossip_node *node,
                              const union summand__word *mass, double *y);

/* Estimate and exclude of the algorithms with flows. */
void summand__gossip_flow_estimate(const struct summand__gossip_node *node, double *y);
void summand__gossip_flow_exclude(struct summand__gossip_node *node, int64_t gone);

/* Every algorithm once; ended by NULL. */
extern const struct summand__gossip_algorithm *const summand__gossip_algorithms[];
const struct summand__gossip_algorithm *summand__gossip_named(const char *name);
