/* SPDX-License-Identifier: BSD-3-Clause */
/* HPS on all of up to 2^63 nodes with one number per node. A round walks the cycle sigma(0),
 * sigma(1), ... and replaces each value by half of itself plus half of its predecessor's old value.
 * The walk still has that value, so the round is done in place. Cost: n numbers of memory; per node
 * and round one evaluation of sigma and one random access to memory. */
#pragma once

#include "lab/gossip/data.h"
#include "lab/gossip/tape.h"

#include <stdbool.h>
#include <stdint.h>

struct summand__bulk {
    int64_t n;
    uint64_t seed; /* of the schedule */
    int threads, round;
    bool single; /* float rather than double */
    double truth;
    double root, largest; /* relative errors after the last round */
    void *values;
    /* One thread calls it from time to time with the finished fraction of initial data or of a
     * round; may be NULL. */
    void (*watch)(void *context, double fraction);
    void *context; /* of watch */
};

/* Fills the values with initial data; set `watch` and `context` before. Returns false when out of
 * memory. */
bool summand__bulk_open(struct summand__bulk *bulk, int64_t n, bool single,
                        enum summand__data_kind kind, uint64_t data_seed, uint64_t seed,
                        int threads);
void summand__bulk_step(struct summand__bulk *bulk);
void summand__bulk_close(struct summand__bulk *bulk);

/* Another array of the same size and schedule, filled with 1. */
bool summand__bulk_open_ones(struct summand__bulk *bulk, const struct summand__bulk *like);
double summand__bulk_get(const struct summand__bulk *bulk, int64_t i);
void summand__bulk_put(struct summand__bulk *bulk, int64_t i, double value);

/* Saves or loads the state; a partly loaded state is unusable. */
void summand__bulk_pass(struct summand__bulk *bulk, struct summand__tape *tape);

/* Approximate recursive doubling on 2^log values. Finds the first step at which the error of rank
 * 0, and the first at which the largest error, is at most eps[k]; -1: none. Returns the true mean,
 * that of summand__data_mean. Cost: 2^log data, each drawn once, and almost no memory. */
double summand__ardb_steps(int log, enum summand__data_kind kind, uint64_t data_seed, int count,
                           const double *eps, int *root_steps, int *largest_steps);
