/* SPDX-License-Identifier: BSD-3-Clause */
/* Predicted times of sums of N elements on p ranks, all of which get the result: by the index tree
 * of Stelz (2022), by the library's index tree and exact sum, and by a loop and an all-reduce. */
#pragma once

#include "lab/index_tree/distribution.h"
#include "lab/index_tree/outbound.h"
#include "model/model.h"

struct summand__sum_request {
    uint64_t n;
    int ranks;
    enum summand__distribution_kind distribution;
    double alpha;
    struct summand__outbound_rule rule;
    double add; /* s per element of a rank's own, the same for all four */
    struct summand__model model;
};

/* Seconds until the last rank has the result. nodes: messages with values of nodes to the rank that
 * holds element 0 (algorithm 1), which sends the result down a binomial tree. The others are
 * all-reduces by recursive doubling: of forests with at most 2 log2 N values, of exact
 * accumulators, of one double. */
struct summand__sum_times {
    double nodes, forests, exact, loop;
};

/* False when out of memory. */
bool summand__sum_predicted(const struct summand__sum_request *request,
                            struct summand__sum_times *times);
