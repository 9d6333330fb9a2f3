/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions over all elements of a distributed array, in a fixed tree over the element index.
 *
 * The array has N elements. Element i is a leaf of the binary tree of Stelz (2022), eq. 2.1. The
 * tree over [x, x + 2^y) is its left half combined with its right half; halves beyond N are left
 * out. The bits of the result depend only on the N elements and the operator: neither the number of
 * ranks nor their ranges change them. Arguments marked (all) must agree on all ranks. */
#ifndef SUMMAND_ORDERED_H
#define SUMMAND_ORDERED_H

#include <summand/error.h>
#include <summand/mpi.h>
#include <summand/plan.h>
#include <summand/sum.h>
#include <summand/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Reduces the distributed array to one element. Collective; blocks.
 *  @param sendbuf [in] this rank's `count` elements; MPI_IN_PLACE: they are at recvbuf. Only ranks
 *         that get the result may pass MPI_IN_PLACE; others get MPI_ERR_BUFFER
 *  @param recvbuf [out] one element; significant on the ranks that get the result; unchanged if N
 *         is 0. With MPI_IN_PLACE: [inout] `count` elements, of which the first becomes the result
 *  @param count elements on this rank, zero included
 *  @param displacement global index of this rank's first element, or (all)
 * SUMMAND_DISPLACEMENT_APPEND. The ranks' ranges must tile 0..N-1, in any order of the ranks
 *  @param datatype (all) any datatype, derived ones with gaps too; gaps in recvbuf stay untouched
 *  @param op (all) any operator that MPI allows for the datatype; it may be neither commutative nor
 *         associative
 *  @param root (all) rank that gets the result, or SUMMAND_ROOT_ALL
 *  @param comm an intra-communicator
 *  @param options [in] or NULL: the defaults. The call always keeps SUMMAND_PROMISE_INDEX, and
 *         refuses SUMMAND_PROMISE_EXACT. An algorithm must do reduce (with SUMMAND_ROOT_ALL:
 *         all-reduce) in rank order, else SUMMAND_ERR_ALGORITHM; it never changes the bits
 *
 *  Operators and datatypes:
 *  - Sum, min, max and product of doubles and floats run on SIMD kernels. Min is
 *    (a < b) ? a : b and max is (a > b) ? a : b; NaN results are canonical.
 *  - Predefined operators on other named types are those of summand_reduce (summand/reduce.h).
 *  - A pair of operator and datatype is valid if it is valid in summand_reduce.
 *
 *  Errors:
 *  - on all ranks: SUMMAND_ERR_DISTRIBUTION; SUMMAND_ERR_MISMATCH if datatypes (by type signature),
 *    operators, roots or options differ. Its text says what differs. User operators count as equal.
 *  - on a rank whose arguments are wrong, and SUMMAND_ERR_REMOTE on the others: MPI_ERR_COUNT (a
 *    negative count), _TYPE, _OP, _ROOT, _BUFFER (as in summand/reduce.h; sendbuf and recvbuf may
 *    overlap); SUMMAND_ERR_ARGUMENT (displacement, options, or NULL for a plan), _ALGORITHM,
 *    _MEMORY, _TIMEOUT. A recvbuf of NULL on a rank without elements is an error there alone. */
SUMMAND_API int summand_ordered_reduce(const void *sendbuf, void *recvbuf, MPI_Count count,
                                       MPI_Count displacement, MPI_Datatype datatype, MPI_Op op,
                                       int root, MPI_Comm comm, const summand_options *options);

/** Makes a plan of summand_ordered_reduce, with the same arguments and errors (summand/plan.h).
 *  Collective; blocks. `datatype` may be freed once the plan is made. Keep the buffers and `op`
 *  until the plan is freed: MPI cannot duplicate an operator.
 *  @param plan [out] to be freed by summand_plan_free; NULL after an error */
SUMMAND_API int summand_ordered_reduce_init(const void *sendbuf, void *recvbuf, MPI_Count count,
                                            MPI_Count displacement, MPI_Datatype datatype,
                                            MPI_Op op, int root, MPI_Comm comm,
                                            const summand_options *options, summand_plan **plan);

#ifdef __cplusplus
}
#endif
#endif
