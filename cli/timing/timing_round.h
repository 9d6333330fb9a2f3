/* SPDX-License-Identifier: BSD-3-Clause */
/* Rounds of a timing: one repetition of each subject, started together. */
#pragma once

#include "cli/timing/clock.h"
#include "cli/timing/counter_barrier.h"
#include "cli/timing/timing.h"

struct timing_round {
    const struct timing_subject *subjects;
    int count;
    enum timing_start start;
    double imbalance;
    void (*before)(void *context); /* as in timing_options */
    void *context;
    uint64_t shared; /* for the orders: the same on all ranks */
    uint64_t own;    /* for the delays */
    struct clock_nodes nodes;
    struct counter_barrier barrier; /* for TIMING_COUNTER */
    double offset;                  /* of this rank's clock */
    double ahead;                   /* seconds from the broadcast of a start to the start */
    double epoch;                   /* zero of a batch's times, on rank 0's clock */
    int order[TIMING_SUBJECTS];
    double *batch; /* by round and subject: the end, then the value to subtract */
    struct trouble *trouble;
};

/* Returns false when out of memory, or, after a complaint, if the ranks cannot start this way.
 * Collective. */
bool timing_round_open(struct timing_round *run, const struct timing_subject *subjects, int count,
                       const struct timing_options *options, struct trouble *trouble);
void timing_round_close(struct timing_round *run);

/* A number of rounds that fits in a batch, near the requested one. */
int timing_round_fitting(double rounds);

/* Runs rounds and fills run->batch with maxima over the ranks; an infinite end: a rank began late.
 * Returns false, on all ranks, after an error on any. Collective. */
bool timing_round_batch(struct timing_round *run, int rounds);
