/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes of floating-point numbers of 16 bits, which MPI does not name.
 *
 * Each is made once per process and freed by the library at MPI_Finalize; do not free it. To the
 * MPI an element is an unsigned integer of 16 bits, so any call that only moves data takes it, and
 * the MPI's own operators refuse it.
 *
 * The reductions of summand/reduce.h and summand/ordered.h take MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX
 * and user operators on these datatypes; other operators are MPI_ERR_OP. A sum or product of two
 * elements is rounded once, to nearest even, with denormals; beyond the greatest number it is
 * infinite. So a long sum has the error of as many roundings, and integers above 2048 (binary16) or
 * 256 (bfloat16) are not exact. A user operator gets the handle, from plans too. summand_outer
 * takes such factors (summand/outer.h).
 *
 * These calls know the handle, and the MPI's own MPIX_C_FLOAT16 (MPICH, some builds of Open MPI)
 * and MPIX_BFLOAT16 in the same way. They do not know duplicates of it, or datatypes made of it:
 * predefined operators on these are MPI_ERR_OP. */
#ifndef SUMMAND_DATATYPE_H
#define SUMMAND_DATATYPE_H

#include <summand/mpi.h>
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
