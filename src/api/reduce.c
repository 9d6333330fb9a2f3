/* summand_reduce, summand_allreduce: the arguments as a request. */
#include <summand/reduce.h>

#include "collective/operation.h"

summand_options summand_options_default(void)
{
    return (summand_options){.algorithm = NULL};
}

int summand_reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   int root, MPI_Comm comm, const summand_options *options)
{
    return summand_reduce_c(sendbuf, recvbuf, count, datatype, op, root, comm, options);
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
    struct summand__request request = {.collective = SUMMAND__COLL_REDUCE,
                                       .sendbuf = sendbuf,
                                       .recvbuf = recvbuf,
                                       .count = count,
                                       .datatype = datatype,
                                       .op = op,
                                       .root = root,
                                       .options = options};
    return summand__collective_run(&request, comm);
}

int summand_reduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                          MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
                          const summand_options *options, summand_plan **plan)
{
    struct summand__request request = {.collective = SUMMAND__COLL_REDUCE,
                                       .sendbuf = sendbuf,
                                       .recvbuf = recvbuf,
                                       .count = count,
                                       .datatype = datatype,
                                       .op = op,
                                       .root = root,
                                       .options = options};
    return summand__collective_init(&request, comm, plan);
}

int summand_allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                      MPI_Op op, MPI_Comm comm, const summand_options *options)
{
    return summand_allreduce_c(sendbuf, recvbuf, count, datatype, op, comm, options);
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
    struct summand__request request = {.collective = SUMMAND__COLL_ALLREDUCE,
                                       .sendbuf = sendbuf,
                                       .recvbuf = recvbuf,
                                       .count = count,
                                       .datatype = datatype,
                                       .op = op,
                                       .options = options};
    return summand__collective_run(&request, comm);
}

int summand_allreduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                             const summand_options *options, summand_plan **plan)
{
    struct summand__request request = {.collective = SUMMAND__COLL_ALLREDUCE,
                                       .sendbuf = sendbuf,
                                       .recvbuf = recvbuf,
                                       .count = count,
                                       .datatype = datatype,
                                       .op = op,
                                       .options = options};
    return summand__collective_init(&request, comm, plan);
}
