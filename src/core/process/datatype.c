/* SPDX-License-Identifier: BSD-3-Clause */
#include "process/datatype.h"

#include "process/process_datatypes.h"

bool summand__combiner_lasts(int combiner)
{
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
           combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

bool summand__datatype_lasts(MPI_Datatype handle)
{
    int integers, addresses, datatypes, combiner;
    return summand__process_datatype_of(handle) != SUMMAND__PROCESS_DATATYPES ||
           PMPI_Type_get_envelope(handle, &integers, &addresses, &datatypes, &combiner) !=
               MPI_SUCCESS ||
           summand__combiner_lasts(combiner);
}

int summand__datatype_hold(MPI_Datatype *handle, MPI_Datatype *held)
{
    *held = MPI_DATATYPE_NULL;
    if (summand__datatype_lasts(*handle))
        return MPI_SUCCESS;
    const int code = PMPI_Type_dup(*handle, held);
    if (code == MPI_SUCCESS)
        *handle = *held;
    return code;
}

void summand__datatype_free(MPI_Datatype *handle)
{
    int over = 0;
    if (*handle == MPI_DATATYPE_NULL)
        return;
    PMPI_Finalized(&over);
    if (!over)
        PMPI_Type_free(handle);
    *handle = MPI_DATATYPE_NULL;
}
