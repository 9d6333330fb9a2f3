/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes that the library gives to callers. Each is made once per process, at its first use,
 * recognized by its handle, and freed at MPI_Finalize. */
#pragma once

#include <mpi.h>

enum summand__process_datatype {
    SUMMAND__FLOAT16,
    SUMMAND__BFLOAT16,
    SUMMAND__EXACT, /* the exact accumulator, which has an operator */
    SUMMAND__PROCESS_DATATYPES
};

/* Gets the datatype and its operator (MPI_OP_NULL: none; `op` may be NULL). Local. Returns
 * MPI_SUCCESS, or an MPI error code with both null; then the next call tries again. */
int summand__process_datatype_get(enum summand__process_datatype which, MPI_Datatype *datatype,
                                  MPI_Op *op);

/* Identifies a datatype; SUMMAND__PROCESS_DATATYPES if it is none of these. Local. */
enum summand__process_datatype summand__process_datatype_of(MPI_Datatype datatype);
