/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a collective with an operator in the way that keeps its promise. */
#pragma once

#include "collective/run.h"

/* True if the operation asks for a promise that only exact sums (exact_plan.h) keep. */
static inline bool summand__exact_asked(const struct summand__operation *operation)
{
    return operation->options && operation->options->promise > SUMMAND_PROMISE_CANONICAL &&
           !summand__op_exact(operation->op, operation->datatype);
}

/* Of vectors of one length; `root`: of a reduction to one rank. */
static inline struct summand__operation
summand__reduction_of(enum summand__collective collective, const void *sendbuf, void *recvbuf,
                      MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root,
                      const summand_options *options)
{
    return (struct summand__operation){.collective = collective,
                                       .sendbuf = sendbuf,
                                       .recvbuf = recvbuf,
                                       .count = count,
                                       .datatype = datatype,
                                       .op = op,
                                       .root = root,
                                       .options = options};
}

/* exact_call.c: an exact sum. */
int summand__exact_run(const struct summand__operation *operation, MPI_Comm comm);
int summand__exact_init(const struct summand__operation *operation, MPI_Comm comm,
                        summand_plan **plan);

static inline int summand__reduction_run(const struct summand__operation *operation, MPI_Comm comm)
{
    return summand__exact_asked(operation) ? summand__exact_run(operation, comm)
                                           : summand__collective_run(operation, comm);
}

static inline int summand__reduction_init(const struct summand__operation *operation, MPI_Comm comm,
                                          summand_plan **plan)
{
    return summand__exact_asked(operation) ? summand__exact_init(operation, comm, plan)
                                           : summand__collective_init(operation, comm, plan);
}
