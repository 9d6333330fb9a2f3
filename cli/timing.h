/* Timing of collective calls side by side: before every repetition a barrier, the maximum over the
 * ranks counts, every round runs all subjects once in a new order that all ranks share, and no
 * outlier is dropped. Rounds go on until every median is known well enough or the budget ends. */
#ifndef SUMMAND_CLI_TIMING_H
#define SUMMAND_CLI_TIMING_H

#include <stdbool.h>

#include "agree.h"
#include "measure.h"

struct timing_subject {
    const char *name;
    int (*run)(void *context); /* collective; returns an MPI error code */
    void *context;
};

struct timing {
    int rounds;
    double *seconds; /* of each round: the slowest rank's */
    struct measure_interval time;
    double p99, least;
    bool settled; /* the 95 % interval lies within 2 % of the median */
};

enum { TIMING_SUBJECTS = 16 };

/* Collective over MPI_COMM_WORLD. timings [out]: one per subject, to be freed. `label` shows in the
 * progress line. budget: seconds, about. */
void timing_run(const struct timing_subject *subjects, int count, double budget, const char *label,
                struct timing *timings, struct trouble *trouble);
void timing_free(struct timing *timings, int count);

/* Ranks on this rank's node, the most of all nodes: with more than processors(), timings show the
 * scheduler. Collective. */
int timing_ranks_per_node(void);

#endif
