/* SPDX-License-Identifier: BSD-3-Clause */
/* Timing of collective calls side by side: every round runs all subjects once in a new order that
 * all ranks share, before every repetition the ranks start together, the last rank's end counts,
 * and no outlier is dropped. Rounds go on until every median is known well enough or the budget
 * ends. After Hunold and Carpen-Amarie (ReproMPI, 2016) and Hoefler and Belli (2015). */
#ifndef SUMMAND_CLI_COMMON_TIMING_H
#define SUMMAND_CLI_COMMON_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/measure.h"
#include "cli/common/agree.h"

struct timing_subject {
    const char *name;
    int (*run)(void *context); /* collective; returns an MPI error code */
    void *context;
};

enum timing_start {
    /* MPI_Barrier; a rank's own time from there on, the longest counts. Ranks leave a barrier at
     * different times, which is part of the result. */
    TIMING_BARRIER,
    /* After a barrier rank 0 broadcasts a time some microseconds ahead; all spin until then, by
     * clocks whose offsets are measured anew before each batch of rounds. The time from there to
     * the last end counts. A repetition of which a rank learned too late is dropped, and counted.
     */
    TIMING_CLOCK,
    /* As TIMING_BARRIER, by a barrier (barrier.h) in place of the MPI's barrier. Ranks of one node.
     */
    TIMING_COUNTER
};

struct timing_options {
    double budget;     /* seconds, about */
    const char *label; /* shows in the progress line */
    enum timing_start start;
    double imbalance; /* seconds: each rank comes later by up to this, at random; the time from the
                         last arrival to the last end counts. 0: none */
    uint64_t seed;    /* of orders and delays */
    int most;         /* rounds at most; 0: 65536 */
    void (*before)(void *context); /* each repetition's start: not timed. NULL: nothing */
    void *context;                 /* its */
};

struct timing {
    int rounds;
    double *seconds; /* of each round; NaN: dropped */
    bool settled;    /* the 95 % interval lies within 2 % of the median */
    int warm;        /* rounds before: until no median fell any more */
    int late;        /* rounds dropped, see TIMING_CLOCK; among `rounds` */
};

enum { TIMING_SUBJECTS = 64 };

/* Collective over MPI_COMM_WORLD. timings [out]: one per subject, to be freed. After Ctrl-C
 * (interrupt.h) with what there is by then; without rounds where that is nothing. `timings` is zero
 * before; rounds are added to it between interrupt_hold and interrupt_release. */
void timing_run(const struct timing_subject *subjects, int count,
                const struct timing_options *options, struct timing *timings,
                struct trouble *trouble);
void timing_free(struct timing *timings, int count);
/* Some subject has no repetition, so far, that all ranks began in time. */
bool timing_has_gap(const struct timing *timings, int count);

/* Ranks on this rank's node, the most of all nodes: with more than processors(), timings show the
 * scheduler. Collective. */
int timing_ranks_per_node(void);
/* Whether some node has more ranks than this rank's processors there: the same on all ranks.
 * Collective. */
bool timing_crowded(void);

#endif
