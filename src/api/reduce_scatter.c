/* summand_reduce_scatter_block, summand_reduce_scatter: the arguments as a request. */
#include <summand/reduce.h>

#include "collective/operation.h"

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
    struct summand__request request = {.collective = SUMMAND__COLL_REDUCE_SCATTER_BLOCK,
                                       .sendbuf = sendbuf,
                                       .recvbuf = recvbuf,
                                       .count = recvcount,
                                       .datatype = datatype,
                                       .op = op,
                                       .options = options};
    return summand__collective_run(&request, comm);
}

int summand_reduce_scatter_block_init_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
                                        MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                        const summand_options *options, summand_plan **plan)
{
    struct summand__request request = {.collective = SUMMAND__COLL_REDUCE_SCATTER_BLOCK,
                                       .sendbuf = sendbuf,
                                       .recvbuf = recvbuf,
                                       .count = recvcount,
                                       .datatype = datatype,
                                       .op = op,
                                       .options = options};
    return summand__collective_init(&request, comm, plan);
}

int summand_reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
                           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                           const summand_options *options)
{
    struct summand__request request = {.collective = SUMMAND__COLL_REDUCE_SCATTER,
                                       .sendbuf = sendbuf,
                                       .recvbuf = recvbuf,
                                       .counts = {.narrow = recvcounts},
                                       .datatype = datatype,
                                       .op = op,
                                       .options = options};
    return summand__collective_run(&request, comm);
}

int summand_reduce_scatter_init(const void *sendbuf, void *recvbuf, const int recvcounts[],
                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                const summand_options *options, summand_plan **plan)
{
    struct summand__request request = {.collective = SUMMAND__COLL_REDUCE_SCATTER,
                                       .sendbuf = sendbuf,
                                       .recvbuf = recvbuf,
                                       .counts = {.narrow = recvcounts},
                                       .datatype = datatype,
                                       .op = op,
                                       .options = options};
    return summand__collective_init(&request, comm, plan);
}

int summand_reduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[],
                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                             const summand_options *options)
{
    struct summand__request request = {.collective = SUMMAND__COLL_REDUCE_SCATTER,
                                       .sendbuf = sendbuf,
                                       .recvbuf = recvbuf,
                                       .counts = {.wide = recvcounts},
                                       .datatype = datatype,
                                       .op = op,
                                       .options = options};
    return summand__collective_run(&request, comm);
}

int summand_reduce_scatter_init_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[],
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                  const summand_options *options, summand_plan **plan)
{
    struct summand__request request = {.collective = SUMMAND__COLL_REDUCE_SCATTER,
                                       .sendbuf = sendbuf,
                                       .recvbuf = recvbuf,
                                       .counts = {.wide = recvcounts},
                                       .datatype = datatype,
                                       .op = op,
                                       .options = options};
    return summand__collective_init(&request, comm, plan);
}
