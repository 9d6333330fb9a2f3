/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes of half precision for callers. */
#include <stddef.h>
#include <summand/datatype.h>

#include "process/error.h"
#include "process/process_datatypes.h"

static int get(const char *call, enum summand__process_datatype which, MPI_Datatype *datatype)
{
    if (!summand__mpi_runs())
        return summand__no_mpi(call);
    if (!datatype)
        return summand__raise(call, MPI_COMM_NULL,
                              summand__refuse(SUMMAND_ERR_ARGUMENT, "datatype is NULL"));
    return summand__process_datatype_get(which, datatype, NULL);
}

int summand_float16_datatype(MPI_Datatype *datatype)
{
    return get("summand_float16_datatype", SUMMAND__FLOAT16, datatype);
}

int summand_bfloat16_datatype(MPI_Datatype *datatype)
{
    return get("summand_bfloat16_datatype", SUMMAND__BFLOAT16, datatype);
}
