/* SPDX-License-Identifier: BSD-3-Clause */
/* summand_bcast: converts arguments to an operation. */
#include <summand/reduce.h>

#include "collective/run.h"

static struct summand__operation broadcast(void *buffer, MPI_Count count, MPI_Datatype datatype,
                                           int root, const summand_options *options)
{
    return (struct summand__operation){.collective = SUMMAND__COLL_BCAST,
                                       .recvbuf = buffer,
                                       .count = count,
                                       .datatype = datatype,
                                       .root = root,
                                       .options = options};
}

int summand_bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                  const summand_options *options)
{
    struct summand__operation operation = broadcast(buffer, count, datatype, root, options);
    return summand__collective_run(&operation, comm);
}

int summand_bcast_init(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                       const summand_options *options, summand_plan **plan)
{
    return summand_bcast_init_c(buffer, count, datatype, root, comm, options, plan);
}

int summand_bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                    const summand_options *options)
{
    struct summand__operation operation = broadcast(buffer, count, datatype, root, options);
    return summand__collective_run(&operation, comm);
}

int summand_bcast_init_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root,
                         MPI_Comm comm, const summand_options *options, summand_plan **plan)
{
    struct summand__operation operation = broadcast(buffer, count, datatype, root, options);
    return summand__collective_init(&operation, comm, plan);
}
