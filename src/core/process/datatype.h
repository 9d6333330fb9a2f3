/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes that outlive a call: MPI lets their handles be freed while an operation has them. */
#ifndef SUMMAND_PROCESS_DATATYPE_H
#define SUMMAND_PROCESS_DATATYPE_H

#include <mpi.h>
#include <stdbool.h>

/* Whether datatypes of an MPI_COMBINER_... are named, or Fortran's with parameters: these cannot be
 * freed, and MPI's operators take them while they do not all take duplicates. */
bool summand__combiner_lasts(int combiner);

/* Puts a duplicate in place of a handle that the user may free, and in `held` as well; `held` is
 * MPI_DATATYPE_NULL if the handle is MPI's own. An MPI error code; local. */
int summand__datatype_hold(MPI_Datatype *handle, MPI_Datatype *held);

/* Frees a datatype of ours, or none if `handle` is MPI_DATATYPE_NULL. MPI frees what is left at
 * its end, so nothing is done after that. */
void summand__datatype_free(MPI_Datatype *handle);

#endif
