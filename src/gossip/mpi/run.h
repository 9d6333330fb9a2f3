/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank keeps of a call. What every step may change is one object, from `call` to the guard
 * of the runner, and guarded from each step to the next. What certificates alone use is guarded by
 * `layout` from one use to the next: it is three quarters of all words. */
#ifndef SUMMAND_GOSSIP_MPI_RUN_H
#define SUMMAND_GOSSIP_MPI_RUN_H

#include "gossip/mpi/allreduce.h"
#include "gossip/mpi/runner.h"

struct summand__error_flag {
    bool near;    /* within the target on all values */
    bool floor;   /* where not, no nearer than the numbers can tell apart */
    double ratio; /* by which the widest range must still shrink */
};

struct summand__run {
    struct summand__operands operands;
    struct summand__range range[SUMMAND__GOSSIP_MOST]; /* of the words, over all ranks */
    struct summand__guard layout;                      /* of these two */
    const struct summand__gossip_call *call;
    struct summand__error_flag error_flag;
    struct summand__gossip_counts counts; /* of the pieces done */
    uint64_t seal;                        /* of the results so far */
    double spread;
    int at, rounds; /* elements done; of the longest piece */
    bool dirty;     /* a rank's state is bad and could not be mended */
    bool converged, doubtful;
    struct summand__runner runner;
};

/* layout.c: the guard of the layout is to be opened before operands or ranges are used, and closed
 * when they have been changed. Open: false on failure. Close: false when out of memory, which can
 * only be so for the first time. */
bool summand__run_open_layout(struct summand__run *run);
bool summand__run_close_layout(struct summand__run *run);

/* certificate.c: finds the ranges of all ranks' estimates. */
void summand__run_certify(struct summand__run *run);
/* Judges by them. */
void summand__run_judge(struct summand__run *run);
/* Writes the results of this piece. */
void summand__run_deliver(struct summand__run *run);

#endif
