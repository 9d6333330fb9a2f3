/* SPDX-License-Identifier: BSD-3-Clause */
/* Timing of collective calls side by side: every round runs all subjects once, in a random order
 * shared by all ranks. Ranks start each repetition together, the last rank's end counts, and no
 * outlier is dropped. Rounds go on until every median is precise enough or the budget ends. After
 * Hunold and Carpen-Amarie (ReproMPI, 2016) and Hoefler and Belli (2015). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bench/measure.h"
#include "cli/ranks/agree.h"

struct timing_subject {
    const char *name;
    int (*run)(void *context); /* collective; returns an MPI error code */
    void *context;
};

enum timing_start {
    /* MPI_Barrier; the longest of the ranks' own times from there counts. Ranks leave a barrier at
     * different times, which is part of the result. */
    TIMING_BARRIER,
    /* After a barrier rank 0 broadcasts a time some microseconds ahead; all ranks spin until then,
     * by clocks whose offsets are measured before each batch of rounds. The time from there to the
     * last end counts. A repetition whose start reached a rank too late is dropped, and counted. */
    TIMING_CLOCK,
    /* As TIMING_BARRIER, with counter_barrier.h in place of the MPI's barrier. For ranks of one
     * node. */
    TIMING_COUNTER
};

struct timing_options {
    double budget;     /* seconds, about */
    const char *label; /* of the progress line */
    enum timing_start start;
    double imbalance; /* seconds: each rank comes later by up to this, at random; the time from the
                         last arrival to the last end counts. 0: none */
    uint64_t seed;    /* of orders and delays */
    int most;         /* rounds at most; 0: 65536 */
    void (*before)(void *context); /* runs before each repetition, not timed; NULL: nothing */
    void *context;                 /* of `before` */
};

struct timing {
    int rounds;
    double *seconds; /* of each round; NaN: dropped */
    bool settled;    /* the 95 % interval lies within 2 % of the median */
    int warm;        /* warm-up rounds: until no median fell any more */
    int late;        /* rounds dropped, see TIMING_CLOCK; among `rounds` */
};

enum { TIMING_SUBJECTS = 64 };

/* Collective over MPI_COMM_WORLD. timings [out]: one per subject, zeroed before; the caller frees
 * them. After Ctrl-C (interrupt.h) gives the rounds so far, perhaps none. Rounds are added to
 * `timings` between interrupt_hold and interrupt_release. */
void timing_run(const struct timing_subject *subjects, int count,
                const struct timing_options *options, struct timing *timings,
                struct trouble *trouble);
void timing_free(struct timing *timings, int count);
/* True if some subject has no repetition so far that all ranks began in time. */
bool timing_has_gap(const struct timing *timings, int count);

/* The number of ranks on the fullest node: above processors(), timings show the scheduler.
 * Collective. */
int timing_ranks_per_node(void);
/* True if some node is oversubscribed: more ranks than this rank's processors there. The same on
 * all ranks. Collective. */
bool timing_crowded(void);
