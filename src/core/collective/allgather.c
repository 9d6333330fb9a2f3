/* SPDX-License-Identifier: BSD-3-Clause */
/* summand_allgather, summand_allgatherv: convert arguments to an operation. */
#include <summand/reduce.h>

#include "collective/run.h"

/* The operation with this rank's block; callers add the counts and places of all blocks. */
static struct summand__operation gathering(enum summand__collective collective, const void *sendbuf,
                                           MPI_Count sendcount, MPI_Datatype sendtype,
                                           void *recvbuf, MPI_Datatype recvtype,
                                           const summand_options *options)
{
    return (struct summand__operation){.collective = collective,
                                       .sendbuf = sendbuf,
                                       .recvbuf = recvbuf,
                                       .sendcount = sendcount,
                                       .sendtype = sendtype,
                                       .datatype = recvtype,
                                       .options = options};
}

int summand_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                      int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                      const summand_options *options)
{
    return summand_allgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                               options);
}

int summand_allgather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                           int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                           const summand_options *options, summand_plan **plan)
{
    return summand_allgather_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                    comm, options, plan);
}

int summand_allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                        void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                        const summand_options *options)
{
    struct summand__operation operation = gathering(SUMMAND__COLL_ALLGATHER, sendbuf, sendcount,
                                                    sendtype, recvbuf, recvtype, options);
    operation.count = recvcount;
    return summand__collective_run(&operation, comm);
}

int summand_allgather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                             void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                             MPI_Comm comm, const summand_options *options, summand_plan **plan)
{
    struct summand__operation operation = gathering(SUMMAND__COLL_ALLGATHER, sendbuf, sendcount,
                                                    sendtype, recvbuf, recvtype, options);
    operation.count = recvcount;
    return summand__collective_init(&operation, comm, plan);
}

int summand_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                       const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                       MPI_Comm comm, const summand_options *options)
{
    struct summand__operation operation = gathering(SUMMAND__COLL_ALLGATHERV, sendbuf, sendcount,
                                                    sendtype, recvbuf, recvtype, options);
    operation.counts.narrow = recvcounts;
    operation.displacements.narrow = displs;
    return summand__collective_run(&operation, comm);
}

int summand_allgatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                            void *recvbuf, const int recvcounts[], const int displs[],
                            MPI_Datatype recvtype, MPI_Comm comm, const summand_options *options,
                            summand_plan **plan)
{
    struct summand__operation operation = gathering(SUMMAND__COLL_ALLGATHERV, sendbuf, sendcount,
                                                    sendtype, recvbuf, recvtype, options);
    operation.counts.narrow = recvcounts;
    operation.displacements.narrow = displs;
    return summand__collective_init(&operation, comm, plan);
}

int summand_allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                         void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                         MPI_Datatype recvtype, MPI_Comm comm, const summand_options *options)
{
    struct summand__operation operation = gathering(SUMMAND__COLL_ALLGATHERV, sendbuf, sendcount,
                                                    sendtype, recvbuf, recvtype, options);
    operation.counts.wide = recvcounts;
    operation.displacements.address = displs;
    return summand__collective_run(&operation, comm);
}

int summand_allgatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                              void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                              MPI_Datatype recvtype, MPI_Comm comm, const summand_options *options,
                              summand_plan **plan)
{
    struct summand__operation operation = gathering(SUMMAND__COLL_ALLGATHERV, sendbuf, sendcount,
                                                    sendtype, recvbuf, recvtype, options);
    operation.counts.wide = recvcounts;
    operation.displacements.address = displs;
    return summand__collective_init(&operation, comm, plan);
}
