/* SPDX-License-Identifier: BSD-3-Clause */
/* HPS, HPFLC and HPFCC on up to billions of nodes, with flipped bits.
 *
 * Without faults the flows of a node add up to the content of HPS. So the nodes are stored as
 * arrays of masses (lab/gossip/bulk.h), and flows are followed only if a fault hits them. The
 * content of such a flow is gathered as its pair meets. The change by the fault stays as an excess
 * over the partner's copy until the pair meets again. Memory: 1 number per node, 2 from the first
 * flow on that loses weight. Time: that of HPS.
 *
 * Equal to the state machines except for rounding, while no flow is hit twice and the sum of the
 * checksum errors below tau of all flows stays below tau. */
#pragma once

#include "gossip/fault.h"
#include "lab/gossip/bulk.h"

struct summand__large_fault {
    struct summand__fault fault;
    int64_t rank;
    int round; /* before (message: in) this round, from 0; in ascending order */
};

struct summand__wound;

struct summand__large {
    const struct summand__gossip_algorithm *algorithm;
    const struct summand__arith *arith;
    double tau;
    struct summand__bulk values, weights;
    bool weighted;                 /* weights differ from 1 and are stored */
    struct summand__wound *wounds; /* one per fault */
    int count;
    double root, largest; /* relative errors after the last round */
    struct summand__gossip_counts counts;
};

struct summand__large_setup {
    const struct summand__gossip_algorithm *algorithm; /* hps, hpflc, hpfcc */
    int64_t n;                                         /* at least 3 */
    bool single;                                       /* float rather than double */
    double tau;                                        /* below 0: default */
    enum summand__data_kind kind;
    uint64_t data_seed, seed; /* seed: of the schedule */
    int threads;              /* 0: all processors */
    const struct summand__large_fault *faults;
    int count;
    void (*watch)(void *context, double fraction); /* as in struct summand__bulk */
    void *context;
};

/* Returns NULL, or the error as a sentence without its end: out of memory, another algorithm,
 * faults that hit one flow twice. */
const char *summand__large_open(struct summand__large *large,
                                const struct summand__large_setup *setup);
/* Returns false when out of memory, without doing the round. */
bool summand__large_step(struct summand__large *large);
void summand__large_close(struct summand__large *large);

/* Save the state to a file, to resume later, or load it. Return false if the file cannot be written
 * or read, is damaged, or belongs to another setup. A partly loaded state is unusable. */
bool summand__large_save(struct summand__large *large, const char *path);
bool summand__large_load(struct summand__large *large, const char *path);
