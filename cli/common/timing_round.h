/* SPDX-License-Identifier: BSD-3-Clause */
/* Rounds of a timing: one repetition of each subject, started together. */
#ifndef SUMMAND_CLI_COMMON_TIMING_ROUND_H
#define SUMMAND_CLI_COMMON_TIMING_ROUND_H

#include "cli/common/clock.h"
#include "cli/common/counter_barrier.h"
#include "cli/common/timing.h"

struct timing_round {
    const struct timing_subject *subjects;
    int count;
    enum timing_start start;
    double imbalance;
    void (*before)(void *context); /* as in timing_options */
    void *context;
    uint64_t shared; /* of the orders: the same on all ranks */
    uint64_t own;    /* of the delays */
    struct clock_nodes nodes;
    struct counter_barrier barrier; /* if it is TIMING_COUNTER */
    double offset;                  /* of this rank's clock */
    double ahead;                   /* seconds between the broadcast of a start and the start */
    double epoch;                   /* times of a batch count from here, on rank 0's clock */
    int order[TIMING_SUBJECTS];
    double *batch; /* round by round, subject by subject: end, then what is taken off it */
    struct trouble *trouble;
};

/* False when out of memory, or where the ranks cannot start so, which is told. Collective. */
bool timing_round_open(struct timing_round *run, const struct timing_subject *subjects, int count,
                       const struct timing_options *options, struct trouble *trouble);
void timing_round_close(struct timing_round *run);

/* A number of rounds that a batch can hold, near the one asked for. */
int timing_round_fitting(double rounds);

/* Runs rounds and fills run->batch with maxima over the ranks; an infinite end: a rank began late.
 * False, on all ranks, after an error on any. Collective. */
bool timing_round_batch(struct timing_round *run, int rounds);

#endif
