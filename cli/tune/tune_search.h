/* SPDX-License-Identifier: BSD-3-Clause */
/* The fastest algorithm at every size: compares a few sizes, then sizes between different winners,
 * until a change is known to a factor of two or the time is over. */
#pragma once

#include "cli/tune/tune_tournament.h"

struct tune_setup {
    const char *collectives; /* "reduce,allreduce", NULL: all */
    int ranks;
    size_t node_size;
    const struct summand__groupings *groupings; /* nodes not in runs of equal size; else NULL */
    int fullest;                                /* ranks of the fullest node */
    int processors;                             /* of a node; 0: one for each rank */
    const struct summand__model *model;
    int least, most; /* sizes: powers of two, as exponents */
    double budget;   /* seconds, from now on */
    /* Called on all ranks after each size of a collective, with the results so far. */
    bool (*save)(void *context, int comparisons, int open); /* finished; still to go, about */
    void *context;
};

/* Adds rules to the tuning, on all ranks. Collective over MPI_COMM_WORLD. `comparisons` [out]: how
 * many ran; `open` [out]: how many more were wanted. Returns false after a complaint. */
bool tune_search(const struct tune_setup *setup, struct summand__tuning *tuning, int *comparisons,
                 int *open);

/* Notes the first collective of the list that cannot be measured. */
void tune_collectives_check(const char *list, struct trouble *trouble);
