/* What a rank keeps of a call: one object, of which the runner is the last part. */
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
    const struct summand__gossip_call *call;
    struct summand__operands operands;
    struct summand__range range[SUMMAND__GOSSIP_MOST]; /* of the words, over all ranks */
    struct summand__error_flag error_flag;
    struct summand__gossip_counts counts; /* of the pieces done */
    uint64_t seal;                        /* of the results so far */
    double spread;
    int at, rounds; /* elements done; of the longest piece */
    bool dirty;     /* a rank's state is bad and could not be mended */
    bool converged, doubtful;
    struct summand__runner runner;
};

/* certificate.c: finds the ranges of all ranks' estimates. */
void summand__run_certify(struct summand__run *run);
/* Judges by them. */
void summand__run_judge(struct summand__run *run);
/* Writes the results of this piece. */
void summand__run_deliver(struct summand__run *run);

#endif
