/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact sums of columns across ranks: of the rows of a matrix, or of accumulators that took rows
 * and single terms over time.
 *
 * Bits. Each element of the result is the exact sum of its terms on all ranks, rounded once to
 * nearest even. It depends on the terms alone: not on the number of ranks, nor on how rows are
 * dealt to them, nor on algorithm, root, MPI or instruction set. Special values are those of
 * summand/exact.h; without any row on any rank the result is +0.0. All ranks that get the result
 * get the same bits. `options.promise` may be any of enum summand_promise: the call keeps
 * SUMMAND_PROMISE_EXACT.
 *
 * A vector that a rank has summed by itself has been rounded already, so MPI_Allreduce of such
 * vectors changes with the number of ranks, and so does an exact sum of them
 * (SUMMAND_PROMISE_EXACT of summand/reduce.h). Give the rows to these calls instead.
 *
 * `options.algorithm` names the algorithm for the collective, as in summand/reduce.h.
 *
 * Cost. A rank adds up its rows in integers, once; then one all-reduce of about 16 bytes per
 * element (8 for each 60 bits or so of the range of exponents in a block of 256). A communicator
 * remembers the ranges of the last 8 calls, and a plan its own; if sums do not fit any more, or at
 * first, one message of 24 bytes per block goes before, and the rows are read once or twice more.
 * Memory: for the messages; 480 KiB per call or plan for sums of rows.
 *
 * The calls are collective over an intra-communicator. Arguments marked (all) must agree on all
 * ranks.
 *
 * Errors:
 * - MPI_ERR_COUNT (a negative count or number of rows), _TYPE (MPI_DATATYPE_NULL), _ROOT, _COMM
 *   (also if it has more than 2^20 ranks), _BUFFER (NULL or MPI_IN_PLACE in place of elements or
 *   results; a result that overlaps the rows).
 * - SUMMAND_ERR_DATATYPE, _ALGORITHM, _MISMATCH, _MEMORY, _REMOTE, _TIMEOUT, _ENVIRONMENT;
 *   _ARGUMENT for a leading dimension, an accumulator or an option that is not allowed, or NULL for
 *   a plan.
 * - Errors of the MPI.
 * Which ranks get them: as in summand/reduce.h, and an accumulator that ran out of memory is an
 * error on every rank. */
#ifndef SUMMAND_COLUMNS_H
#define SUMMAND_COLUMNS_H

#include <summand/error.h>
#include <summand/exact_vector.h>
#include <summand/mpi.h>
#include <summand/options.h>
#include <summand/plan.h>
#include <summand/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Sums of the columns of a matrix whose rows lie on any ranks: y[j] is the sum of x[i lead + j]
 *  over the rows i of all ranks. Collective; blocks.
 *  @param x [in] `rows` rows of `count` elements; not read if either is 0
 *  @param rows number of rows on this rank, zero included
 *  @param lead elements from the beginning of a row to that of the next one; not less than count if
 *         there are several rows
 *  @param y [out] count elements; significant on the ranks that get the result, where it must not
 *         overlap x
 *  @param count (all) elements of a row
 *  @param datatype (all) MPI_DOUBLE, MPI_FLOAT, MPI_C_DOUBLE_COMPLEX, MPI_C_FLOAT_COMPLEX, or one
 * of Fortran's that holds the same. Real and imaginary parts are sums of their own
 *  @param root (all) rank that gets the result, or SUMMAND_ROOT_ALL
 *  @param comm an intra-communicator
 *  @param options [in] or NULL: the defaults */
SUMMAND_API int summand_column_sums(const void *x, MPI_Count rows, MPI_Count lead, void *y,
                                    MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                                    const summand_options *options);

/** Makes a plan of column sums (summand/plan.h). Collective; blocks. Each start reads the elements
 * at that time.
 *  @param plan [out] to be freed by summand_plan_free; NULL after an error other than MPI_ERR_COMM
 */
SUMMAND_API int summand_column_sums_init(const void *x, MPI_Count rows, MPI_Count lead, void *y,
                                         MPI_Count count, MPI_Datatype datatype, int root,
                                         MPI_Comm comm, const summand_options *options,
                                         summand_plan **plan);

/** Sums of the accumulators of all ranks, element by element, rounded once. Collective; blocks. The
 *  accumulators keep their values, and may take more terms afterwards.
 *  @param vector [in] an accumulator (summand/exact_vector.h)
 *  @param y [out] as many elements as the accumulator has, or half as many complex ones;
 *         significant on the ranks that get the result
 *  @param datatype (all) of y, as in summand_column_sums; it need not be that of the terms. The
 *         number of elements must agree, too */
SUMMAND_API int summand_exact_vector_reduce(const summand_exact_vector *vector, void *y,
                                            MPI_Datatype datatype, int root, MPI_Comm comm,
                                            const summand_options *options);

/** Makes a plan of it. Collective; blocks. Each start takes the value at that time: between start
 *  and completion the accumulator must not change. Free the plan before the accumulator. */
SUMMAND_API int summand_exact_vector_reduce_init(const summand_exact_vector *vector, void *y,
                                                 MPI_Datatype datatype, int root, MPI_Comm comm,
                                                 const summand_options *options,
                                                 summand_plan **plan);

#ifdef __cplusplus
}
#endif
#endif
