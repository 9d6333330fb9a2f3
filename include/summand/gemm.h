/* Products of block-cyclic matrices: C = alpha op(A) op(B) + beta C.
 *
 * A, B and C may lie on any grids of one communicator (summand/matrix.h): on the same ranks, on
 * disjoint or overlapping groups, with any blocks. op is the identity or the transpose. With
 * beta = 0 C is not read, so it may hold NaNs; with alpha = 0 A and B are not read.
 *
 * Every rank that holds a part of C computes; ranks that hold only A or B help, so that all have
 * about the same number of operations. The owners put panels of A and B into the memory of the
 * ranks that need them, and counters say what has arrived (docs/gemm.md). There is no barrier.
 *
 * Bits. By default element (i, j) is a chain over the inner dimension in its order: s = +0, then
 * s = fma(A(i, k), B(k, j), s); the result is alpha s (s itself where alpha is 1), or
 * fma(beta, C, alpha s) with alpha s rounded before. It depends neither on grids and blocks, nor on
 * the number of ranks, panels, MPI or instruction set. A NaN result is the canonical quiet NaN.
 * With `any_order` local products are the BLAS's, where a fast one is at hand: its sums have an
 * order of their own, which may differ between grids.
 *
 * Calls are collective over the communicator that the matrices were made on. Arguments marked (all)
 * must agree on all ranks, matrices too. All ranks agree before any element moves: a wrong
 * argument or lack of memory on one rank is an error on every rank, and ranks that differ get
 * SUMMAND_ERR_MISMATCH. An error raises the communicator's error handler. */
#ifndef SUMMAND_GEMM_H
#define SUMMAND_GEMM_H

#include <summand/matrix.h>
#include <summand/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How an operand enters. */
enum summand_transpose {
    SUMMAND_PLAIN,     /**< as it is */
    SUMMAND_TRANSPOSED /**< transposed */
};

/** Zero is the default of everything. */
typedef struct summand_gemm_options {
    const char *algorithm; /**< (all) one of `summand list -c gemm`; NULL: the library's choice */
    int any_order;         /**< (all) other than 0: sums in the order that is fastest */
    int no_help;           /**< (all) other than 0: only ranks that hold a part of C compute */
    MPI_Count panel;       /**< (all) inner elements of a panel; 0: the library's choice */
    MPI_Count memory;      /**< (all) bytes that each rank may take for panels of others, about; 0:
                                256 MiB. Less makes more and smaller panels */
    double timeout;        /**< seconds, as SUMMAND_TIMEOUT; 0: what that says */
} summand_gemm_options;

/** C = alpha op(A) op(B) + beta C. Collective.
 *  @param trans_a (all) of A: rows x inner, or its transpose
 *  @param trans_b (all) of B: inner x columns, or its transpose
 *  @param alpha (all) rounded to the matrices' type
 *  @param a (all) [in]
 *  @param b (all) [in] may be a
 *  @param beta (all) rounded to the matrices' type
 *  @param c (all) [in,out] rows x columns; its memory is apart from that of a and b
 *  @param options (all) NULL: the defaults
 *  Matrices of different types, communicators or sizes that do not fit are SUMMAND_ERR_ARGUMENT.
 *  Each call makes a plan and frees it: keep a plan for repeated products of the same matrices.
 *  Source of the algorithm: van de Geijn, Watts (1997), SUMMA; Schmidtobreick (2017). */
SUMMAND_API int summand_gemm(enum summand_transpose trans_a, enum summand_transpose trans_b,
                             double alpha, const summand_matrix *a, const summand_matrix *b,
                             double beta, summand_matrix *c, const summand_gemm_options *options);

/** The same as a plan, for any number of starts (summand/plan.h): the matrices' elements are read
 *  and written between start and wait. Arguments as of summand_gemm.
 *  @param plan [out] to be freed by summand_plan_free, which keeps the matrices' memory until then;
 *  it may wait up to a second for ranks that have not yet taken what this rank has put */
SUMMAND_API int summand_gemm_init(enum summand_transpose trans_a, enum summand_transpose trans_b,
                                  double alpha, const summand_matrix *a, const summand_matrix *b,
                                  double beta, summand_matrix *c,
                                  const summand_gemm_options *options, summand_plan **plan);

#ifdef __cplusplus
}
#endif
#endif
