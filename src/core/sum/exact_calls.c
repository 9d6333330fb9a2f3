/* SPDX-License-Identifier: BSD-3-Clause */
/* The datatype and operator of the exact accumulator, for a program's own MPI calls. */
#include <summand/sum.h>

#include "process/error.h"
#include "process/process_datatypes.h"

static int refuse(const char *call, const char *wrong)
{
    return summand__mpi_runs() ? summand__raise(call, MPI_COMM_NULL,
                                                summand__refuse(SUMMAND_ERR_ARGUMENT, "%s", wrong))
                               : summand__no_mpi(call);
}

static int get(const char *call, MPI_Datatype *datatype, MPI_Op *op)
{
    *datatype = MPI_DATATYPE_NULL;
    *op = MPI_OP_NULL;
    return summand__mpi_runs() ? summand__process_datatype_get(SUMMAND__EXACT, datatype, op)
                               : summand__no_mpi(call);
}

int summand_exact_datatype(MPI_Datatype *datatype)
{
    static const char call[] = "summand_exact_datatype";
    MPI_Op op;
    return datatype ? get(call, datatype, &op) : refuse(call, "datatype is NULL");
}

int summand_exact_op(MPI_Op *op)
{
    static const char call[] = "summand_exact_op";
    MPI_Datatype datatype;
    return op ? get(call, &datatype, op) : refuse(call, "op is NULL");
}
