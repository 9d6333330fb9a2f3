/* SPDX-License-Identifier: BSD-3-Clause */
/* The fastest algorithm at every size: comparisons at a few sizes, then between those where it
 * changes, until it is known to a factor of two or the time is over. */
#ifndef SUMMAND_CLI_TUNE_TUNE_SEARCH_H
#define SUMMAND_CLI_TUNE_TUNE_SEARCH_H

#include "cli/tune/tune_tournament.h"

struct tune_setup {
    const char *collectives; /* "reduce,allreduce", NULL: all */
    int ranks;
    size_t node_size;
    const struct summand__groupings *groupings; /* nodes that are no runs of that; else NULL */
    int fullest;                                /* ranks of the fullest node */
    int processors;                             /* of a node; 0: one for each rank */
    const struct summand__model *model;
    int least, most; /* sizes: powers of two, as exponents */
    double budget;   /* seconds, from now on */
    /* Called on all ranks after each size of a collective, with what is known so far. */
    bool (*save)(void *context, int comparisons, int open); /* finished; still to go, about */
    void *context;
};

/* Adds rules to the tuning, on all ranks. Collective over MPI_COMM_WORLD. `comparisons` [out]: how
 * many were run; `open` [out]: how many more it would have liked. False after a complaint. */
bool tune_search(const struct tune_setup *setup, struct summand__tuning *tuning, int *comparisons,
                 int *open);

/* Whether the list names collectives that can be measured; notes the first that does not. */
void tune_collectives_check(const char *list, struct trouble *trouble);

#endif
