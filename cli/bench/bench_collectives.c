/* SPDX-License-Identifier: BSD-3-Clause */
/* The benchmarked collectives: the library's, as call and as plan, and the MPI's. */
#include <summand/reduce.h>

#include "cli/bench/bench_case.h"

#define REDUCE_ARGUMENTS(op)                                                                       \
    c->sendbuf, c->recv, c->count, c->call->type->datatype(), op, c->call->root, comm
#define ALLREDUCE_ARGUMENTS(op) c->sendbuf, c->recv, c->count, c->call->type->datatype(), op, comm
#define SCATTER_ARGUMENTS(op) c->sendbuf, c->recv, c->counts, c->call->type->datatype(), op, comm
#define BCAST_ARGUMENTS(op) c->recv, c->count, c->call->type->datatype(), c->call->root, comm
#define ALLGATHER_ARGUMENTS(op)                                                                    \
    c->sendbuf, c->count, c->call->type->datatype(), c->recv, c->count, c->call->type->datatype(), \
        comm

#define COLLECTIVES(X)                                                                             \
    X(reduce, MPI_Reduce, REDUCE_ARGUMENTS)                                                        \
    X(allreduce, MPI_Allreduce, ALLREDUCE_ARGUMENTS)                                               \
    X(scan, MPI_Scan, ALLREDUCE_ARGUMENTS)                                                         \
    X(exscan, MPI_Exscan, ALLREDUCE_ARGUMENTS)                                                     \
    X(reduce_scatter, MPI_Reduce_scatter, SCATTER_ARGUMENTS)                                       \
    X(bcast, MPI_Bcast, BCAST_ARGUMENTS)                                                           \
    X(allgather, MPI_Allgather, ALLGATHER_ARGUMENTS)

#define CALLS(name, mpi_call, arguments)                                                           \
    static int name##_ours(const struct bench_case *c, const summand_options *options,             \
                           MPI_Comm comm)                                                          \
    {                                                                                              \
        return summand_##name(arguments(c->call->handle), options);                                \
    }                                                                                              \
    static int name##_make(const struct bench_case *c, const summand_options *options,             \
                           MPI_Comm comm, summand_plan **plan)                                     \
    {                                                                                              \
        return summand_##name##_init(arguments(c->call->handle), options, plan);                   \
    }                                                                                              \
    static int name##_mpi(const struct bench_case *c, MPI_Comm comm)                               \
    {                                                                                              \
        return mpi_call(arguments(c->call->of_mpi));                                               \
    }
COLLECTIVES(CALLS)

#define OF(name) name##_ours, name##_make, name##_mpi

const struct bench_collective bench_collectives[] = {
    {SUMMAND__COLL_REDUCE, "the vector", OF(reduce)},
    {SUMMAND__COLL_ALLREDUCE, "the vector", OF(allreduce)},
    {SUMMAND__COLL_SCAN, "the vector", OF(scan)},
    {SUMMAND__COLL_EXSCAN, "the vector", OF(exscan)},
    {SUMMAND__COLL_REDUCE_SCATTER, "the whole vector", OF(reduce_scatter)},
    {SUMMAND__COLL_BCAST, "the buffer", OF(bcast)},
    {SUMMAND__COLL_ALLGATHER, "each rank's block", OF(allgather)},
    {0}};
