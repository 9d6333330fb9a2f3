/* Sums over all elements of all processes of a communicator.
 *
 * Two methods give the same bits on any number of processes:
 * - exact: the exact sum, rounded once to nearest even. No order, distribution, number of ranks or
 *   instruction set changes it. Special values are those of summand/exact.h.
 * - tree: the fixed binary tree over the global element index (Stelz 2022, eq. 2.1). For dot and
 *   norms, products are rounded first. The ranks' element ranges must tile 0..N-1, and the ranges
 *   of all terms of a call must lie in one order of the ranks.
 *
 * A plan of a tree sum is made in several small collectives, as ranks must know each other's
 * ranges. A tree call without a plan keeps the one that it makes, with those of the last 8 calls,
 * up to 64 MiB on a rank: a later one of the same k, kinds, method, root, datatype, counts and
 * displacements on all ranks costs a message of 16 to 80 bytes more than the plan. Other elements
 * or buffers make no difference.
 *
 * All ranks that get the result get the same bits. A NaN result is the canonical quiet NaN.
 *
 * Calls are collective over the communicator unless they say local. Arguments marked (all) must
 * agree on all ranks. Errors: MPI's, and those of summand/error.h; a wrong argument on one rank is
 * an error on every rank that gets the result, and no rank hangs. Making a plan tells every rank.
 * The exceptions are one-shot calls whose ranks give different roots, an invalid one included:
 * ranks may wait for ever, as in MPI, unless SUMMAND_TIMEOUT is set. SUMMAND_CHECK=on in the
 * environment makes them errors of all ranks too, for one MPI_Iallreduce more per call, and the
 * text of SUMMAND_ERR_MISMATCH says what differs where: k, kinds, method, root or datatype. Making
 * a plan always does. NULL where elements or results belong is MPI_ERR_BUFFER.
 */
#ifndef SUMMAND_SUM_H
#define SUMMAND_SUM_H

#include <mpi.h>
#include <summand/error.h>
#include <summand/plan.h>
#include <summand/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How to sum. */
enum summand_method {
    SUMMAND_EXACT, /**< the exact sum, rounded once */
    SUMMAND_TREE   /**< the index tree */
};

/** What to sum: x, |x|, x*y, or the square root of the sum of x*x. */
enum summand_kind { SUMMAND_SUM, SUMMAND_ASUM, SUMMAND_DOT, SUMMAND_NRM2 };

/** As root: the result goes to every rank. */
#define SUMMAND_ALL_RANKS (-1)
/** As displacement: this rank's elements follow the lower ranks'. Its value is neither a root nor a
 * likely wrong index, so a mix-up is an error. */
#define SUMMAND_RANK_ORDER (-2147483647)

/** Options of a call; NULL means summand_sum_options_default(). */
typedef struct summand_sum_options {
    enum summand_method method; /**< (all) */
    int root;                   /**< (all) rank that gets the result, or SUMMAND_ALL_RANKS */
} summand_sum_options;

/** exact, SUMMAND_ALL_RANKS. Local. */
SUMMAND_API summand_sum_options summand_sum_options_default(void);

/** One sum of several in a call. */
typedef struct summand_term {
    enum summand_kind kind; /**< (all) */
    MPI_Count count;        /**< elements on this rank, zero included */
    MPI_Count displacement; /**< tree: global index of this rank's first element, or (all)
                                 SUMMAND_RANK_ORDER; exact: ignored */
    const void *x;          /**< [in] count elements, or MPI_IN_PLACE: they are where the result
                                 of this term goes, and the first becomes the result. Only on
                                 ranks that get it, else MPI_ERR_BUFFER; of several terms, only
                                 with a count of at most 1, else SUMMAND_ERR_ARGUMENT */
    const void *y;          /**< [in] SUMMAND_DOT: count elements, else ignored */
} summand_term;

/** Sum of count elements per rank.
 *  @param x [in] count elements of `datatype`, or MPI_IN_PLACE: they are at `result`. Only
 *         where the result goes, else MPI_ERR_BUFFER
 *  @param result [out] one element; significant on the ranks that get the result. [inout] with
 *         MPI_IN_PLACE: count elements (one if count is 0), the first of which becomes the result
 *  @param count elements on this rank
 *  @param datatype (all) MPI_DOUBLE or MPI_FLOAT
 *  @param options [in] or NULL; elements lie in rank order
 *  @param comm an intra-communicator */
SUMMAND_API int summand_sum(const void *x, void *result, MPI_Count count, MPI_Datatype datatype,
                            const summand_sum_options *options, MPI_Comm comm);
/** Sum of absolute values; parameters as summand_sum. */
SUMMAND_API int summand_asum(const void *x, void *result, MPI_Count count, MPI_Datatype datatype,
                             const summand_sum_options *options, MPI_Comm comm);
/** Euclidean norm; exact: correctly rounded, without overflow or underflow. As summand_sum. */
SUMMAND_API int summand_nrm2(const void *x, void *result, MPI_Count count, MPI_Datatype datatype,
                             const summand_sum_options *options, MPI_Comm comm);
/** Dot product of x and y; parameters as summand_sum. y is never MPI_IN_PLACE (MPI_ERR_BUFFER). */
SUMMAND_API int summand_dot(const void *x, const void *y, void *result, MPI_Count count,
                            MPI_Datatype datatype, const summand_sum_options *options,
                            MPI_Comm comm);

/** k sums in one call, for the latency of about one.
 *  @param k (all) number of sums
 *  @param terms [in] k terms
 *  @param results [out] k elements of `datatype` */
SUMMAND_API int summand_sums(int k, const summand_term *terms, void *results, MPI_Datatype datatype,
                             const summand_sum_options *options, MPI_Comm comm);

/** Makes a plan of k sums; arguments as summand_sums. The counts and buffers are fixed from now on.
 *  @param plan [out] */
SUMMAND_API int summand_sums_init(int k, const summand_term *terms, void *results,
                                  MPI_Datatype datatype, const summand_sum_options *options,
                                  MPI_Comm comm, summand_plan **plan);

/** The MPI datatype of a summand_exact (summand/exact.h). Local. The library frees it at
 *  MPI_Finalize. */
SUMMAND_API int summand_exact_datatype(MPI_Datatype *datatype);
/** The MPI operator that merges accumulators, for your own MPI_Reduce, MPI_Allreduce, MPI_Scan and
 *  the like. It is commutative and associative in every bit of the value. Local. */
SUMMAND_API int summand_exact_op(MPI_Op *op);

#ifdef __cplusplus
}
#endif
#endif
