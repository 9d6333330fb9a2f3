/* SPDX-License-Identifier: BSD-3-Clause */
/* summand_reduce_scatter_block, summand_reduce_scatter: convert arguments to an operation. */
#include <summand/reduce.h>

#include "collective/reduction.h"

/* Blocks of `count` elements, or of `counts`. */
static struct summand__operation scattering(enum summand__collective collective,
                                            const void *sendbuf, void *recvbuf, MPI_Count count,
                                            struct summand__numbers counts, MPI_Datatype datatype,
                                            MPI_Op op, const summand_options *options)
{
    return (struct summand__operation){.collective = collective,
                                       .sendbuf = sendbuf,
                                       .recvbuf = recvbuf,
                                       .count = count,
                                       .counts = counts,
                                       .datatype = datatype,
                                       .op = op,
                                       .options = options};
}

int summand_reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                 const summand_options *options)
{
    return summand_reduce_scatter_block_c(sendbuf, recvbuf, recvcount, datatype, op, comm, options);
}

int summand_reduce_scatter_block_init(const void *sendbuf, void *recvbuf, int recvcount,
                                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                      const summand_options *options, summand_plan **plan)
{
    return summand_reduce_scatter_block_init_c(sendbuf, recvbuf, recvcount, datatype, op, comm,
                                               options, plan);
}

int summand_reduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
                                   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                   const summand_options *options)
{
    struct summand__operation operation =
        scattering(SUMMAND__COLL_REDUCE_SCATTER_BLOCK, sendbuf, recvbuf, recvcount,
                   (struct summand__numbers){.wide = NULL}, datatype, op, options);
    return summand__reduction_run(&operation, comm);
}

int summand_reduce_scatter_block_init_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
                                        MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                        const summand_options *options, summand_plan **plan)
{
    struct summand__operation operation =
        scattering(SUMMAND__COLL_REDUCE_SCATTER_BLOCK, sendbuf, recvbuf, recvcount,
                   (struct summand__numbers){.wide = NULL}, datatype, op, options);
    return summand__reduction_init(&operation, comm, plan);
}

int summand_reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
                           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                           const summand_options *options)
{
    struct summand__operation operation =
        scattering(SUMMAND__COLL_REDUCE_SCATTER, sendbuf, recvbuf, 0,
                   (struct summand__numbers){.narrow = recvcounts}, datatype, op, options);
    return summand__reduction_run(&operation, comm);
}

int summand_reduce_scatter_init(const void *sendbuf, void *recvbuf, const int recvcounts[],
                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                const summand_options *options, summand_plan **plan)
{
    struct summand__operation operation =
        scattering(SUMMAND__COLL_REDUCE_SCATTER, sendbuf, recvbuf, 0,
                   (struct summand__numbers){.narrow = recvcounts}, datatype, op, options);
    return summand__reduction_init(&operation, comm, plan);
}

int summand_reduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[],
                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                             const summand_options *options)
{
    struct summand__operation operation =
        scattering(SUMMAND__COLL_REDUCE_SCATTER, sendbuf, recvbuf, 0,
                   (struct summand__numbers){.wide = recvcounts}, datatype, op, options);
    return summand__reduction_run(&operation, comm);
}

int summand_reduce_scatter_init_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[],
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                  const summand_options *options, summand_plan **plan)
{
    struct summand__operation operation =
        scattering(SUMMAND__COLL_REDUCE_SCATTER, sendbuf, recvbuf, 0,
                   (struct summand__numbers){.wide = recvcounts}, datatype, op, options);
    return summand__reduction_init(&operation, comm, plan);
}
