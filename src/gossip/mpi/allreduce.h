/* One piece of an all-reduce: up to SUMMAND__GOSSIP_MOST values, from inputs to agreed results. */
#ifndef SUMMAND_GOSSIP_MPI_ALLREDUCE_H
#define SUMMAND_GOSSIP_MPI_ALLREDUCE_H

#include "comm/state.h"
#include "gossip/machine.h"
#include "gossip/topology.h"

#include <summand/gossip.h>

enum summand__gossip_result { SUMMAND__GOSSIP_SUM, SUMMAND__GOSSIP_MEAN, SUMMAND__GOSSIP_EXTREMUM };

struct summand__gossip_piece {
    struct summand__state *state;
    const summand_gossip_options *options;
    const struct summand__gossip_algorithm *algorithm;
    const struct summand__arith *arith;
    const struct summand__topology *topology;
    enum summand__gossip_result result;
    bool maximum;
    int count;
    const double *x; /* inputs, finite */
    double *y;       /* results */
};

/* Collective. Adds to the report (its `converged` and `rigorous` must start as 1). Returns an MPI
 * error code. */
int summand__gossip_piece_run(const struct summand__gossip_piece *piece,
                              summand_gossip_report *report);

#endif
