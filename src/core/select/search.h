/* SPDX-License-Identifier: BSD-3-Clause */
/* The search for an algorithm's best parameters, by any clock: estimates (choose.h) or the play of
 * all ranks (`summand predict`). One list of values for both. */
#ifndef SUMMAND_SELECT_SEARCH_H
#define SUMMAND_SELECT_SEARCH_H

#include "algorithm/algorithm.h"

struct summand__choice {
    const struct summand__algorithm *algorithm;
    size_t parameter[SUMMAND__PARAMETERS]; /* of the call; 0: the algorithm's default */
    double seconds;
};

struct summand__search {
    /* Seconds of the call with the parameters that are being tried; INFINITY if it has none.
     * What takes at least `enough` is not wanted: any such time will do. */
    double (*seconds)(struct summand__search *search, const struct summand__call *call);
    void *context;
    const struct summand__algorithm *algorithm;
    struct summand__call call; /* as it is at first; its parameters are the ones that are given */
    size_t element;            /* bytes of one */
    bool given[SUMMAND__PARAMETERS]; /* not to be searched for */
    double enough;                   /* [out] for `seconds` */
    double rival;                    /* the least seconds of other algorithms; 0: none are known */
    struct summand__choice best;     /* [out] its algorithm is NULL if nothing has a time */
};

/* One parameter after the other, each at its best with those before it: for whole vectors, for a
 * segment of some KiB, and for the segment that is then best. */
void summand__search(struct summand__search *search);

#endif
