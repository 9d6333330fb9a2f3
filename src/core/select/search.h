/* SPDX-License-Identifier: BSD-3-Clause */
/* The search for an algorithm's best parameters by any timing function: estimates (choose.h) or a
 * simulation of all ranks (`summand predict`). Both try the same values. */
#pragma once

#include "algorithm/algorithm.h"

struct summand__choice {
    const struct summand__algorithm *algorithm;
    size_t parameter[SUMMAND__PARAMETERS]; /* of the call; 0: the algorithm's default */
    int check; /* enum summand_checked, the caller's: nothing chooses it */
    double seconds;
    bool runs; /* made for the query's `groupings->ordered`, whose groups are runs of ranks,
                  although its operands may change places */
};

struct summand__search {
    /* Seconds of the call with the parameters on trial; INFINITY if there are none. From `enough`
     * on, any such time will do. */
    double (*seconds)(struct summand__search *search, const struct summand__call *call);
    void *context;
    const struct summand__algorithm *algorithm;
    struct summand__call call;       /* the initial call; its parameters are the given ones */
    size_t element;                  /* bytes of one */
    bool given[SUMMAND__PARAMETERS]; /* not searched for */
    double enough;                   /* [out] for `seconds` */
    double rival;                    /* the least seconds of other algorithms; 0: unknown */
    struct summand__choice best;     /* [out] its algorithm is NULL if no trial has a time */
};

/* Optimizes one parameter after the other, with the best values of those before it: for whole
 * vectors, for a segment of some KiB, and for the then best segment. */
void summand__search(struct summand__search *search);

/* Improves `best`, [in] a choice of this algorithm with its time, by values near its own: one
 * parameter after the other, down and up. */
void summand__search_near(struct summand__search *search);
