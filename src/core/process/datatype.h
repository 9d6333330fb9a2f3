/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes that outlive a call: MPI lets users free their handles while an operation uses them. */
#pragma once

#include <mpi.h>
#include <stdbool.h>

/* The bytes of data. MPI 4.1 deprecates the function; but Open MPI has no other one before 6, and a
 * shim of Open MPI 6 serves programs of 4.1 and 5. */
static inline int summand__type_size(MPI_Datatype datatype, MPI_Count *bytes)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    return PMPI_Type_size_x(datatype, bytes);
#pragma GCC diagnostic pop
}

/* True if datatypes of an MPI_COMBINER_... are named, or Fortran's with parameters. These cannot be
 * freed, and not all MPI operators take their duplicates. */
bool summand__combiner_lasts(int combiner);

/* True if the user cannot free this datatype: it is MPI's own, or ours
 * (process/process_datatypes.h). */
bool summand__datatype_lasts(MPI_Datatype handle);

/* Replaces a handle that the user may free by a duplicate, also in `held`; `held` is
 * MPI_DATATYPE_NULL if it lasts. Returns an MPI error code; local. */
int summand__datatype_hold(MPI_Datatype *handle, MPI_Datatype *held);

/* Frees a datatype of ours; MPI_DATATYPE_NULL is allowed. After MPI_Finalize, which frees all, it
 * does nothing. */
void summand__datatype_free(MPI_Datatype *handle);
