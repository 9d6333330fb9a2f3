/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes of half precision: each is made once per process, and known by its handle. */
#ifndef SUMMAND_COMM_HALF_H
#define SUMMAND_COMM_HALF_H

#include <mpi.h>

enum summand__half { SUMMAND__FLOAT16, SUMMAND__BFLOAT16, SUMMAND__HALVES };

/* Makes it at the first call. MPI_SUCCESS, or an error code of the MPI and MPI_DATATYPE_NULL.
 * Local. */
int summand__half_datatype(enum summand__half half, MPI_Datatype *datatype);

/* Which of them a datatype is; SUMMAND__HALVES if none. Local. */
enum summand__half summand__half_of(MPI_Datatype datatype);

#endif
