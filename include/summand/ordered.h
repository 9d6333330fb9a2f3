/* Reductions over all elements of a distributed array, in a fixed tree over the element index.
 *
 * The array has N elements. Element i is a leaf of the binary tree of Stelz (2022), eq. 2.1: the
 * tree over [x, x + 2^y) is its left half combined with its right half, and halves beyond N are
 * left out. The bits of the result depend on the N elements and the operator alone. Neither the
 * number of ranks nor the ranges that they hold matter. */
#ifndef SUMMAND_ORDERED_H
#define SUMMAND_ORDERED_H

#include <mpi.h>
#include <summand/error.h>
#include <summand/plan.h>
#include <summand/sum.h>
#include <summand/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Reduces the distributed array to one element.
 *  @param sendbuf [in] this rank's `count` elements, or MPI_IN_PLACE: they are at recvbuf. Only
 *         where the result goes, else MPI_ERR_BUFFER
 *  @param recvbuf [out] one element; significant on the ranks that get the result. If N is 0 it is
 *         left as it is. [inout] with MPI_IN_PLACE: `count` elements; the
 *         first becomes the result
 *  @param count elements on this rank, zero included
 *  @param displacement global index of the first of them, or (all) SUMMAND_RANK_ORDER; the ranks'
 *         ranges must tile 0..N-1, in any order of the ranks
 *  @param datatype (all) any datatype, derived ones with gaps too; gaps in recvbuf stay untouched
 *  @param op (all) any operator that MPI allows for it: neither commutative nor associative needed
 *  @param root (all) rank that gets the result, or SUMMAND_ALL_RANKS
 *  @param comm an intra-communicator
 *  Collective.
 *  - Sum, min, max and product of MPI_DOUBLE and MPI_FLOAT run on SIMD kernels. Min is
 *    (a < b) ? a : b and max is (a > b) ? a : b; NaN results are canonical.
 *  - Predefined operators on other named types are those of summand_reduce (summand/reduce.h).
 *  - Whether an operator goes with a datatype is decided as by summand_reduce.
 *  - If datatypes (by type signature), operators or roots differ, all ranks get
 *    SUMMAND_ERR_MISMATCH, and its text says what differs. User operators are not told apart. */
SUMMAND_API int summand_ordered_reduce(const void *sendbuf, void *recvbuf, MPI_Count count,
                                       MPI_Count displacement, MPI_Datatype datatype, MPI_Op op,
                                       int root, MPI_Comm comm);

/** The same as a plan; see summand_plan_start. `datatype` may be freed once the plan is made. Keep
 *  `op` until the plan is freed: MPI cannot duplicate an operator.
 *  @param plan [out] */
SUMMAND_API int summand_ordered_reduce_init(const void *sendbuf, void *recvbuf, MPI_Count count,
                                            MPI_Count displacement, MPI_Datatype datatype,
                                            MPI_Op op, int root, MPI_Comm comm,
                                            summand_plan **plan);

#ifdef __cplusplus
}
#endif
#endif
