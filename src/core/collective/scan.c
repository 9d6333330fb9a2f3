/* SPDX-License-Identifier: BSD-3-Clause */
/* summand_scan, summand_exscan: convert arguments to an operation. */
#include <summand/reduce.h>

#include "collective/reduction.h"

int summand_scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm comm, const summand_options *options)
{
    return summand_scan_c(sendbuf, recvbuf, count, datatype, op, comm, options);
}

int summand_scan_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                      MPI_Op op, MPI_Comm comm, const summand_options *options, summand_plan **plan)
{
    return summand_scan_init_c(sendbuf, recvbuf, count, datatype, op, comm, options, plan);
}

int summand_scan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                   MPI_Op op, MPI_Comm comm, const summand_options *options)
{
    struct summand__operation operation = summand__reduction_of(
        SUMMAND__COLL_SCAN, sendbuf, recvbuf, count, datatype, op, 0, options);
    return summand__reduction_run(&operation, comm);
}

int summand_scan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                        MPI_Op op, MPI_Comm comm, const summand_options *options,
                        summand_plan **plan)
{
    struct summand__operation operation = summand__reduction_of(
        SUMMAND__COLL_SCAN, sendbuf, recvbuf, count, datatype, op, 0, options);
    return summand__reduction_init(&operation, comm, plan);
}

int summand_exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm, const summand_options *options)
{
    return summand_exscan_c(sendbuf, recvbuf, count, datatype, op, comm, options);
}

int summand_exscan_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                        MPI_Op op, MPI_Comm comm, const summand_options *options,
                        summand_plan **plan)
{
    return summand_exscan_init_c(sendbuf, recvbuf, count, datatype, op, comm, options, plan);
}

int summand_exscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                     MPI_Op op, MPI_Comm comm, const summand_options *options)
{
    struct summand__operation operation = summand__reduction_of(
        SUMMAND__COLL_EXSCAN, sendbuf, recvbuf, count, datatype, op, 0, options);
    return summand__reduction_run(&operation, comm);
}

int summand_exscan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                          MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                          const summand_options *options, summand_plan **plan)
{
    struct summand__operation operation = summand__reduction_of(
        SUMMAND__COLL_EXSCAN, sendbuf, recvbuf, count, datatype, op, 0, options);
    return summand__reduction_init(&operation, comm, plan);
}
