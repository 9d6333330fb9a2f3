/* SPDX-License-Identifier: BSD-3-Clause */
/* One experiment with at most one flip, in the algorithm's simulator. */
#pragma once

#include "gossip/fault.h"
#include "gossip/machine.h"
#include "lab/gossip/data.h"

struct experiment {
    const struct summand__gossip_algorithm *algorithm;
    const struct summand__arith *arith;
    int nodes; /* at most 64; asynchronous algorithms: a hypercube */
    double scale;
    enum summand__data_kind kind;
    uint64_t seed;
    double eps; /* largest relative error over all ranks */
};

struct injection {
    struct summand__fault fault;
    double when;   /* rounds, or messages of the first process */
    uint64_t seed; /* determines the rank and the flow */
};

struct outcome {
    bool healed;   /* accurate at the end */
    bool noticed;  /* some counter of the algorithm is above 0 */
    double rounds; /* until accurate; asynchronous: messages per process */
    double error;  /* at the end */
};

/* injection NULL: none. clean: rounds without a fault (0: unknown): the run is aborted after
 * several times that. */
struct outcome outcome_of(const struct experiment *e, const struct injection *injection,
                          double clean);
