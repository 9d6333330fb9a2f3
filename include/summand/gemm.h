/* Products of block-cyclic matrices: C = alpha op(A) op(B) + beta C.
 *
 * A, B and C may lie on any grids of one communicator (summand/matrix.h): on the same ranks, on
 * disjoint or overlapping groups, with any blocks. op is the identity or the transpose. With
 * beta = 0 C is not read, so it may hold NaNs; with alpha = 0 A and B are not read.
 *
 * Every rank that holds a part of C computes; ranks that hold only A or B help, so that all have
 * about the same number of operations. The owners put panels of A and B into the memory of the
 * ranks that need them, and counters say what has arrived (docs/gemm.md). There is no barrier. Of
 * an exposed matrix (summand_matrix_expose) nothing is copied if all ranks of the communicator
 * share memory: A and B are read, and C is made, where they lie. Then a rank's wait also ends only
 * when the other ranks have done with its part.
 *
 * Bits. By default element (i, j) is a chain over the inner dimension in its order: s = +0, then
 * s = fma(A(i, k), B(k, j), s); the result is alpha s (s itself where alpha is 1), or
 * fma(beta, C, alpha s) with alpha s rounded before. It depends neither on grids and blocks, nor on
 * the number of ranks, panels, MPI or instruction set. A NaN result is the canonical quiet NaN.
 * With `any_order` local products are the BLAS's, where a fast one is at hand: its sums have an
 * order of their own, which may differ between grids.
 *
 * Finishing. Further work on each element of C may be fused into the product. It is done while the
 * columns that were computed last are still in a cache:
 *
 *     x = alpha op(A) op(B) + beta C;  x = x + row_bias(i);  x = x + column_bias(j);
 *     C = activation(x);  then the caller's function
 *
 * each sum rounded to the matrices' type. Biases are arrays of this rank's own, one number for each
 * local row or column of its part of C (summand_matrix_local, summand_matrix_index). Ranks of one
 * row of C's grid have the same rows, so they give the same row biases. A layer of a network, with
 * samples as columns, weights W (outputs x inputs) and X (inputs x samples):
 *
 *     summand_gemm_options layer = {.row_bias = bias, .activation = SUMMAND_SIGMOID};
 *     summand_gemm(SUMMAND_PLAIN, SUMMAND_PLAIN, 1, w, x, 0, y, &layer);
 *
 * With samples as rows, Y = X W^T has SUMMAND_PLAIN, SUMMAND_TRANSPOSED and a column bias. Back
 * propagation, D = W^T D' times x (1 - x), multiplies by the derivative of the activation. The
 * caller's function does that; its C has the distribution of the outputs x before:
 *
 *     static void derive(const summand_gemm_tile *tile, void *context)
 *     {
 *         const struct layer *layer = context;
 *         for (MPI_Count j = 0; j < tile->columns; j++)
 *             for (MPI_Count i = 0; i < tile->rows; i++) {
 *                 double x = layer->x[(tile->column + j) * layer->lead + tile->row + i];
 *                 ((double *)tile->elements)[j * tile->lead + i] *= x * (1 - x);
 *             }
 *     }
 *     summand_gemm_options back = {.finish = derive, .context = &layer};
 *     summand_gemm(SUMMAND_TRANSPOSED, SUMMAND_PLAIN, 1, w, d, 0, before, &back);
 *
 * The gradient, D X^T, has SUMMAND_PLAIN, SUMMAND_TRANSPOSED and nothing to finish. Finishing keeps
 * the promise of the bits, because the library computes activations by its own arithmetic in one
 * order. The rank that holds an element finishes it, once, also if other ranks have helped.
 *
 * Algorithms. The library takes gemm-panels unless the caller names another one. gemm-pairs adds up
 * parts that depend on the grids and blocks, so its bits are the same only for the same grids and
 * blocks.
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

/** The function that is applied to each element last. The library computes it by its own
 *  arithmetic: the same bits on all machines, and an error of a few units in the last place. The
 *  function of a NaN is a NaN. */
enum summand_activation {
    SUMMAND_IDENTITY,
    SUMMAND_SIGMOID, /**< 1 / (1 + e^-x) */
    SUMMAND_TANH,
    SUMMAND_RELU /**< 0 below 0, else x */
};

/** Finished elements of this rank's local array of C: a rectangle of it, from local row and column
 *  on. summand_matrix_index tells the global ones. */
typedef struct summand_gemm_tile {
    void *elements;          /**< [in,out] element (i, j) of the tile is number i + j * lead */
    MPI_Count lead;          /**< leading dimension of the local array, in elements */
    MPI_Count row, column;   /**< of the tile's first element in the local array, from 0 */
    MPI_Count rows, columns; /**< of the tile, at least 1 */
} summand_gemm_tile;

/** Zero is the default of everything. */
typedef struct summand_gemm_options {
    const char *algorithm; /**< (all) one of `summand list -c gemm`; NULL: the library's choice */
    int any_order;         /**< (all) other than 0: sums in the order that is fastest */
    int no_help;           /**< (all) other than 0: only ranks that hold a part of C compute */
    MPI_Count panel;       /**< (all) inner elements of a panel, of gemm-pairs of a block; 0: the
                                library's choice */
    MPI_Count memory;      /**< (all) bytes, about, that each rank may take for panels of others; 0:
                                256 MiB. With less memory panels are more and smaller */
    double timeout;        /**< seconds, as SUMMAND_TIMEOUT; 0: what that says */

    /* Finishing. Biases and the function are this rank's own; what they point to may change between
     * starts, and must be there until a plan is freed. */
    const void *row_bias;    /**< [in] a number of the matrices' type for each local row of C, or
                                  NULL */
    const void *column_bias; /**< [in] for each local column, or NULL */
    enum summand_activation activation; /**< (all) */
    /** Called for finished tiles, in any order, by the thread that starts, tests or waits: each
     *  element once in a start. NULL: nothing is called. It may make only local calls of MPI and of
     *  this library. Bits do not depend on grids if it treats each element by itself. */
    void (*finish)(const summand_gemm_tile *tile, void *context);
    void *context; /**< second argument of `finish` */
} summand_gemm_options;

/** C = alpha op(A) op(B) + beta C. Collective; blocks.
 *  @param trans_a (all) of A: rows x inner, or its transpose
 *  @param trans_b (all) of B: inner x columns, or its transpose
 *  @param alpha (all) rounded to the matrices' type
 *  @param a (all) [in]
 *  @param b (all) [in] may be a
 *  @param beta (all) rounded to the matrices' type
 *  @param c (all) [in,out] rows x columns; its memory is apart from that of a and b
 *  @param options (all) NULL: the defaults
 *  Errors, on every rank: SUMMAND_ERR_ARGUMENT (types or communicators that differ, sizes that do
 *  not fit, an option out of range), _ALGORITHM (no such algorithm, or not for these matrices),
 *  _MISMATCH, _MEMORY, _REMOTE, _TIMEOUT. If a rank passes NULL for all matrices, the error is on
 *  that rank alone.
 *  The communicator keeps the plans of the last 8 calls, of at most 64 MiB together on a rank. A
 *  call with the same matrices, transposes, scalars and options as one of them takes one agreement
 *  of all ranks and a start of that plan. Elements, biases, the function and the timeout may be
 *  others. Any other call makes a plan. summand_matrix_free and summand_matrix_expose free the kept
 *  plans of their matrix.
 *  Source of the algorithm: van de Geijn, Watts (1997), SUMMA; Schmidtobreick (2017). */
SUMMAND_API int summand_gemm(enum summand_transpose trans_a, enum summand_transpose trans_b,
                             double alpha, const summand_matrix *a, const summand_matrix *b,
                             double beta, summand_matrix *c, const summand_gemm_options *options);

/** The same as a plan, for any number of starts (summand/plan.h). Collective; blocks. The arguments
 *  and errors are those of summand_gemm. Elements are read and written between start and wait.
 *  Ranks may start plans of products in different orders, each plan as often as the other ranks do:
 *  each has a window of its own.
 *  @param plan [out] to be freed by summand_plan_free; NULL after an error. The matrices' memory
 *         must stay until the plan is freed. Freeing waits up to a second for ranks that have not
 *         yet taken what this rank has put */
SUMMAND_API int summand_gemm_init(enum summand_transpose trans_a, enum summand_transpose trans_b,
                                  double alpha, const summand_matrix *a, const summand_matrix *b,
                                  double beta, summand_matrix *c,
                                  const summand_gemm_options *options, summand_plan **plan);

#ifdef __cplusplus
}
#endif
#endif
