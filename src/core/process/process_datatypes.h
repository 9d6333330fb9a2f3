/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes that the library gives to callers. Each is made once per process, at its first use,
 * known by its handle, and freed at MPI_Finalize. */
#ifndef SUMMAND_PROCESS_PROCESS_DATATYPES_H
#define SUMMAND_PROCESS_PROCESS_DATATYPES_H

#include <mpi.h>

enum summand__process_datatype {
    SUMMAND__FLOAT16,
    SUMMAND__BFLOAT16,
    SUMMAND__EXACT, /* the exact accumulator, which has an operator */
    SUMMAND__PROCESS_DATATYPES
};

/* The datatype and its operator (MPI_OP_NULL: it has none; `op` may be NULL). Local. MPI_SUCCESS,
 * or an error code of the MPI with both null; then the next call tries again. */
int summand__process_datatype_get(enum summand__process_datatype which, MPI_Datatype *datatype,
                                  MPI_Op *op);

/* Which of them a datatype is; SUMMAND__PROCESS_DATATYPES if none. Local. */
enum summand__process_datatype summand__process_datatype_of(MPI_Datatype datatype);

#endif
