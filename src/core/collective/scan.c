/* SPDX-License-Identifier: BSD-3-Clause */
/* summand_scan, summand_exscan: convert arguments to an operation. */
#include <summand/reduce.h>

#include "collective/reduction.h"

static struct summand__operation scanning(enum summand__collective collective, const void *sendbuf,
                                          void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                                          MPI_Op op, const summand_options *options)
{
    return (struct summand__operation){.collective = collective,
                                       .sendbuf = sendbuf,
                                       .recvbuf = recvbuf,
                                       .count = count,
                                       .datatype = datatype,
                                       .op = op,
                                       .options = options};
}

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
    struct summand__operation operation =
        scanning(SUMMAND__COLL_SCAN, sendbuf, recvbuf, count, datatype, op, options);
    return summand__reduction_run(&operation, comm);
}

int summand_scan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                        MPI_Op op, MPI_Comm comm, const summand_options *options,
                        summand_plan **plan)
{
    struct summand__operation operation =
        scanning(SUMMAND__COLL_SCAN, sendbuf, recvbuf, count, datatype, op, options);
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
    struct summand__operation operation =
        scanning(SUMMAND__COLL_EXSCAN, sendbuf, recvbuf, count, datatype, op, options);
    return summand__reduction_run(&operation, comm);
}

int summand_exscan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                          MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                          const summand_options *options, summand_plan **plan)
{
    struct summand__operation operation =
        scanning(SUMMAND__COLL_EXSCAN, sendbuf, recvbuf, count, datatype, op, options);
    return summand__reduction_init(&operation, comm, plan);
}
