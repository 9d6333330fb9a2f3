/* SPDX-License-Identifier: BSD-3-Clause */
/* summand_reduce, summand_allreduce: convert arguments to an operation. */
#include <summand/reduce.h>

#include "collective/reduction.h"

summand_options summand_options_default(void)
{
    return (summand_options){.algorithm = NULL};
}

int summand_reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   int root, MPI_Comm comm, const summand_options *options)
{
    struct summand__operation operation = summand__reduction_of(
        SUMMAND__COLL_REDUCE, sendbuf, recvbuf, count, datatype, op, root, options);
    return summand__reduction_run(&operation, comm);
}

int summand_reduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                        MPI_Op op, int root, MPI_Comm comm, const summand_options *options,
                        summand_plan **plan)
{
    return summand_reduce_init_c(sendbuf, recvbuf, count, datatype, op, root, comm, options, plan);
}

int summand_reduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                     MPI_Op op, int root, MPI_Comm comm, const summand_options *options)
{
    struct summand__operation operation = summand__reduction_of(
        SUMMAND__COLL_REDUCE, sendbuf, recvbuf, count, datatype, op, root, options);
    return summand__reduction_run(&operation, comm);
}

int summand_reduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                          MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
                          const summand_options *options, summand_plan **plan)
{
    struct summand__operation operation = summand__reduction_of(
        SUMMAND__COLL_REDUCE, sendbuf, recvbuf, count, datatype, op, root, options);
    return summand__reduction_init(&operation, comm, plan);
}

int summand_allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                      MPI_Op op, MPI_Comm comm, const summand_options *options)
{
    struct summand__operation operation = summand__reduction_of(
        SUMMAND__COLL_ALLREDUCE, sendbuf, recvbuf, count, datatype, op, 0, options);
    return summand__reduction_run(&operation, comm);
}

int summand_allreduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                           MPI_Op op, MPI_Comm comm, const summand_options *options,
                           summand_plan **plan)
{
    return summand_allreduce_init_c(sendbuf, recvbuf, count, datatype, op, comm, options, plan);
}

int summand_allreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                        MPI_Op op, MPI_Comm comm, const summand_options *options)
{
    struct summand__operation operation = summand__reduction_of(
        SUMMAND__COLL_ALLREDUCE, sendbuf, recvbuf, count, datatype, op, 0, options);
    return summand__reduction_run(&operation, comm);
}

int summand_allreduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                             const summand_options *options, summand_plan **plan)
{
    struct summand__operation operation = summand__reduction_of(
        SUMMAND__COLL_ALLREDUCE, sendbuf, recvbuf, count, datatype, op, 0, options);
    return summand__reduction_init(&operation, comm, plan);
}
