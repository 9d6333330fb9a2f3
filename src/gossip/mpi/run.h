/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank's data of a call. Data that every step may change are one object, from `call` to the guard
 * of the runner, and guarded between steps. Data that only certificates use are guarded by `layout`
 * between uses: they are three quarters of all words. */
#pragma once

#include "gossip/mpi/allreduce.h"
#include "gossip/mpi/runner.h"

struct summand__error_flag {
    bool near;    /* within the target on all values */
    bool floor;   /* if not near: as near as the numbers can distinguish */
    double ratio; /* factor by which the widest range must still shrink */
};

struct summand__run {
    struct summand__operands operands;
    struct summand__range range[SUMMAND__GOSSIP_MOST]; /* of the words, over all ranks */
    struct summand__guard layout;                      /* of these two */
    const struct summand__gossip_call *call;
    struct summand__error_flag error_flag;
    struct summand__gossip_counts counts; /* of the finished slices */
    uint64_t seal;                        /* of the results so far */
    double spread;
    int at, rounds; /* elements done; of the longest slice */
    bool dirty;     /* a rank's state is bad and could not be repaired */
    bool converged, doubtful;
    struct summand__runner runner;
};

/* layout.c: open the guard of the layout before using operands or ranges, and close it after
 * changing them. Open: false on failure. Close: false when out of memory, possible only at the
 * first time. */
bool summand__run_open_layout(struct summand__run *run);
bool summand__run_close_layout(struct summand__run *run);

/* certificate.c: finds the ranges of all ranks' estimates. */
void summand__run_certify(struct summand__run *run);
/* Judges convergence by these ranges. */
void summand__run_judge(struct summand__run *run);
/* Writes the results of this slice. */
void summand__run_deliver(struct summand__run *run);
