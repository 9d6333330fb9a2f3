/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over all elements of all processes of a communicator.
 *
 * `options.promise` says how to sum. Both ways give the same bits on any number of processes:
 * - exact, SUMMAND_PROMISE_EXACT: the exact sum, rounded once to nearest even. No order,
 *   distribution, number of ranks or instruction set changes it. Special values are those of
 *   summand/exact.h. This is the default; weaker promises than SUMMAND_PROMISE_INDEX get it too.
 * - tree, SUMMAND_PROMISE_INDEX: the fixed binary tree over the global element index (Stelz 2022,
 *   eq. 2.1). For dot and norms, products are rounded first. The ranks' element ranges must tile
 *   0..N-1, and the ranges of all terms of a call must lie in one order of the ranks.
 *
 * `options.algorithm` names the algorithm that reduces the operand of this rank, which is one
 * element for the algorithm: any that does reduce (with SUMMAND_ROOT_ALL: all-reduce), and in rank
 * order for a tree. Any other one is SUMMAND_ERR_ALGORITHM. It never changes the bits. The default
 * takes the fewest messages one after another. Cuts into segments do not apply.
 *
 * Complex numbers. Real and imaginary part of the result are sums of their own.
 * - exact: each is the exact sum of its real terms, rounded once. A product has two terms for each
 *   part, so conj(x) y has re x re y and im x im y for the real part, re x im y and -(im x re y)
 *   for the imaginary one.
 * - tree: a leaf is computed first. Each product of two real numbers is rounded, and so is their
 *   sum or difference, which is taken in the order re x re y, im x im y for the real part, and
 *   re x im y, im x re y for the imaginary one. A leaf of ASUM is |re x| + |im x|, one of NRM2
 *   re x re x + im x im x. Nothing is fused.
 * - ASUM and NRM2 have an imaginary part of +0.0.
 *
 * All ranks that get the result get the same bits. A NaN result, or part
 * of it, is the canonical quiet NaN.
 *
 * Cost. Making a plan of a tree sum takes several small collectives, because ranks must know each
 * other's ranges. A blocking tree sum makes a plan too. The communicator caches the plans of the
 * last 8 calls, at most 64 MiB together on a rank. A later call with the same k, kinds,
 * root, datatype, options, counts and displacements on all ranks runs the cached plan: it costs a
 * message of 16 to 80 bytes more than a start of a plan. Elements and buffers may change.
 *
 * Calls are collective over the communicator unless they say local. Arguments marked (all) must
 * agree on all ranks.
 *
 * Errors:
 * - MPI_ERR_COUNT (a negative count or k), _TYPE (MPI_DATATYPE_NULL), _ROOT, _COMM, _BUFFER (NULL
 *   in place of elements, terms or results; MPI_IN_PLACE if it is not allowed).
 * - SUMMAND_ERR_DATATYPE, _DISTRIBUTION, _ALGORITHM, _MISMATCH, _MEMORY, _REMOTE, _TIMEOUT,
 *   _ENVIRONMENT; _ARGUMENT for a kind, a displacement, a stride or an option that is not allowed,
 *   or NULL for a plan.
 * - Errors of the MPI.
 *
 * Which ranks get them:
 * - Calls that make a plan: an error on one rank is an error on every rank.
 * - Blocking calls: a wrong argument on one rank is an error on every rank that gets the result,
 *   and no rank hangs. There is one exception: if ranks give different roots, promises or
 *   algorithms, valid or not, ranks may wait for ever, as in MPI, unless a timeout is set
 *   (summand/options.h).
 * - With SUMMAND_CHECK=on in the environment, blocking calls first agree, as calls that make a plan
 *   always do. This costs one MPI_Iallreduce per call. Then different roots are an error on every
 *   rank too, and the text of SUMMAND_ERR_MISMATCH says what differs where: k, kinds, root,
 *   datatype or options. */
#ifndef SUMMAND_SUM_H
#define SUMMAND_SUM_H

#include <summand/error.h>
#include <summand/mpi.h>
#include <summand/options.h>
#include <summand/plan.h>
#include <summand/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What to sum, as the BLAS has it. With real elements the last kind is the same as DOT. */
enum summand_kind {
    SUMMAND_KIND_SUM = 0,           /**< x */
    SUMMAND_KIND_ASUM = 1,          /**< |x|; complex: |re x| + |im x|, as dzasum */
    SUMMAND_KIND_DOT = 2,           /**< x * y, as zdotu */
    SUMMAND_KIND_NRM2 = 3,          /**< the square root of the sum of re^2 + im^2 of x */
    SUMMAND_KIND_DOT_CONJUGATED = 4 /**< conj(x) * y, as zdotc */
};

/** As displacement: this rank's elements follow those of the lower ranks. Its value is neither a
 *  root nor a likely index, so using it in the wrong place is an error. */
#define SUMMAND_DISPLACEMENT_APPEND (-2147483647)

/** One sum of several in a call. */
typedef struct summand_term {
    enum summand_kind kind; /**< (all) */
    MPI_Count count;        /**< elements on this rank, zero included */
    MPI_Count displacement; /**< tree: global index of this rank's first element, or (all)
                                 SUMMAND_DISPLACEMENT_APPEND; exact: ignored */
    const void *x; /**< [in] count elements, or MPI_IN_PLACE: they are in this term's place in the
                      results, and the result overwrites them. MPI_IN_PLACE is allowed only on ranks
                      that get the result, else MPI_ERR_BUFFER; and with several terms only for a
                      count of at most 1, else SUMMAND_ERR_ARGUMENT */
    const void *y; /**< [in] SUMMAND_KIND_DOT and _DOT_CONJUGATED: count elements, else
                        ignored */
    MPI_Count stride_x; /**< elements from one element of x to the next; 0: 1. A negative one
                             is as in the BLAS: the elements lie at x, x + |stride_x|, ..., and
                             the last of these is the first element. Ranks may differ */
    MPI_Count stride_y; /**< likewise for y */
} summand_term;

/** Sum of the elements of all ranks, which lie in rank order. Collective; blocks.
 *  @param x [in] count elements of `datatype`, or MPI_IN_PLACE: they are at `result`. Only ranks
 *         that get the result may pass MPI_IN_PLACE, else MPI_ERR_BUFFER
 *  @param result [out] one element; significant on the ranks that get the result. [inout] with
 *         MPI_IN_PLACE: count elements (one if count is 0), the first of which becomes the result
 *  @param count elements on this rank
 *  @param datatype (all) MPI_DOUBLE, MPI_FLOAT, MPI_C_DOUBLE_COMPLEX, MPI_C_FLOAT_COMPLEX, or one
 *         of Fortran's, such as MPI_DOUBLE_COMPLEX, that holds the same
 *  @param root (all) rank that gets the result, or SUMMAND_ROOT_ALL
 *  @param comm an intra-communicator
 *  @param options [in] or NULL: the defaults */
SUMMAND_API int summand_sum(const void *x, void *result, MPI_Count count, MPI_Datatype datatype,
                            int root, MPI_Comm comm, const summand_options *options);
/** Sum of absolute values. Collective; blocks. Parameters as summand_sum. */
SUMMAND_API int summand_asum(const void *x, void *result, MPI_Count count, MPI_Datatype datatype,
                             int root, MPI_Comm comm, const summand_options *options);
/** Euclidean norm. Collective; blocks. The exact one is correctly rounded, without intermediate
 * overflow or underflow. Parameters as summand_sum. */
SUMMAND_API int summand_nrm2(const void *x, void *result, MPI_Count count, MPI_Datatype datatype,
                             int root, MPI_Comm comm, const summand_options *options);
/** Dot product of x and y, of which none is conjugated. Collective; blocks. Parameters as
 *  summand_sum.
 *  @param y [in] count elements; MPI_IN_PLACE is MPI_ERR_BUFFER */
SUMMAND_API int summand_dot(const void *x, const void *y, void *result, MPI_Count count,
                            MPI_Datatype datatype, int root, MPI_Comm comm,
                            const summand_options *options);

/** k sums in one call, with about the latency of one sum. Collective; blocks.
 *  @param k (all) number of sums
 *  @param terms [in] k terms
 *  @param results [out] k elements of `datatype` */
SUMMAND_API int summand_sums(int k, const summand_term *terms, void *results, MPI_Datatype datatype,
                             int root, MPI_Comm comm, const summand_options *options);

/** Makes a plan of k sums, with the arguments of summand_sums (summand/plan.h). Collective; blocks.
 *  Counts and buffers are fixed from now on; each start reads the elements at that time.
 *  @param plan [out] to be freed by summand_plan_free; NULL after an error other than MPI_ERR_COMM
 */
SUMMAND_API int summand_sums_init(int k, const summand_term *terms, void *results,
                                  MPI_Datatype datatype, int root, MPI_Comm comm,
                                  const summand_options *options, summand_plan **plan);

/** The MPI datatype of a summand_exact (summand/exact.h), committed. Local. The library frees it at
 *  MPI_Finalize.
 *  @param datatype [out] MPI_DATATYPE_NULL after an error of the MPI; NULL is
 *         SUMMAND_ERR_ARGUMENT, raised on MPI_COMM_SELF */
SUMMAND_API int summand_exact_datatype(MPI_Datatype *datatype);
/** The MPI operator that merges accumulators, for your own MPI_Reduce, MPI_Allreduce, MPI_Scan and
 *  the like. It is commutative and associative in every bit of the value. Local. The library frees
 *  it at MPI_Finalize.
 *  @param op [out] MPI_OP_NULL after an error of the MPI; NULL is SUMMAND_ERR_ARGUMENT, raised on
 *         MPI_COMM_SELF */
SUMMAND_API int summand_exact_op(MPI_Op *op);

#ifdef __cplusplus
}
#endif
#endif
