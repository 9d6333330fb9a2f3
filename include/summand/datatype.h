/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes of half precision, which MPI does not name.
 *
 * Each is made once per process and freed by the library at MPI_Finalize; do not free it. To the
 * MPI an element is an unsigned integer of 16 bits, so any call that only moves data takes it. The
 * calls of this library that add up such elements know the handle, not a duplicate of it. */
#ifndef SUMMAND_DATATYPE_H
#define SUMMAND_DATATYPE_H

#include <mpi.h>
#include <summand/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The datatype of IEEE 754's binary16 (half precision), committed. Local; MPI must be initialised.
 *  @param datatype [out] MPI_DATATYPE_NULL after an error of the MPI; NULL is
 *         SUMMAND_ERR_ARGUMENT, raised on MPI_COMM_SELF */
SUMMAND_API int summand_float16_datatype(MPI_Datatype *datatype);

/** The datatype of bfloat16 (the upper 16 bits of a float), committed. Otherwise as
 *  summand_float16_datatype. */
SUMMAND_API int summand_bfloat16_datatype(MPI_Datatype *datatype);

#ifdef __cplusplus
}
#endif
#endif
