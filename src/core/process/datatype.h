/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes that outlive a call: MPI lets users free their handles while an operation uses them. */
#pragma once

#include <mpi.h>
#include <stdbool.h>

/* The bytes of data; MPI 4.1 deprecates PMPI_Type_size_x. */
static inline int summand__type_size(MPI_Datatype datatype, MPI_Count *bytes)
{
#if MPI_VERSION >= 4
    return PMPI_Type_size_c(datatype, bytes);
#else
    return PMPI_Type_size_x(datatype, bytes);
#endif
}

/* True if datatypes of an MPI_COMBINER_... are named, or Fortran's with parameters. These cannot be
 * freed, and not all MPI operators take their duplicates. */
bool summand__combiner_lasts(int combiner);

/* Replaces a handle that the user may free by a duplicate, also in `held`; `held` is
 * MPI_DATATYPE_NULL if the handle is MPI's own, or ours (process/process_datatypes.h). Returns an
 * MPI error code; local. */
int summand__datatype_hold(MPI_Datatype *handle, MPI_Datatype *held);

/* Frees a datatype of ours; MPI_DATATYPE_NULL is allowed. After MPI_Finalize, which frees all, it
 * does nothing. */
void summand__datatype_free(MPI_Datatype *handle);
