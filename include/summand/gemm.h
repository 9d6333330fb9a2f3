/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of block-cyclic matrices: C = alpha op(A) op(B) + beta C.
 *
 * op is the identity or the transpose. A, B and C may lie on any grids of one communicator
 * (summand/matrix.h): on the same ranks, or on disjoint or overlapping groups, with any blocks. If
 * beta is 0, C is not read, so it may hold NaNs. If alpha is 0, A and B are not read.
 *
 * Work. Every rank that holds a part of C computes. Ranks that hold only A or B help, so that all
 * have about the same number of operations. The owners put panels of A and B into the memory of the
 * ranks that need them, and counters say what has arrived (docs/gemm.md). There is no barrier.
 *
 * In place. If all ranks of the communicator share memory, an exposed matrix
 * (summand_matrix_expose) is not copied: A and B are read, and C is computed, where they lie. A
 * rank's wait then ends only when the other ranks no longer use its part.
 *
 * Bits. By default element (i, j) is a chain over the inner dimension, k = 0, 1, ...: it begins
 * with s = +0, and each k makes s = fma(A(i, k), B(k, j), s), with op applied to A and B. The
 * result is alpha s (s itself if alpha is 1), or fma(beta, C(i, j), alpha s) with alpha s rounded
 * first. The bits depend neither on grids and blocks, nor on the number of ranks, panels, MPI or
 * instruction set: this is SUMMAND_PROMISE_INDEX, the strongest promise that the calls keep. A NaN
 * result is the canonical quiet NaN. With SUMMAND_PROMISE_SAME or _NONE sums may have any order: a
 * BLAS computes local products, if a fast one is found. It adds in an order of its own, so bits may
 * differ between grids. One rank computes the bits of an element of C and holds it, so both
 * promises are the same here.
 *
 * Finishing. A product may do further work on each element of C, while the element is still in a
 * cache:
 *
 *     x = alpha op(A) op(B) + beta C;  x = x + row_bias(i);  x = x + column_bias(j);
 *     C = activation(x);  then the caller's function
 *
 * Each sum is rounded to the matrices' type. Each rank gives its own arrays of biases: one number
 * for each local row or column of its part of C (summand_matrix_local, summand_matrix_index). Ranks
 * of one row of C's grid have the same rows of C, so they give the same row biases. For example, a
 * layer of a network, with samples as columns, weights W (outputs x inputs) and X (inputs x
 * samples):
 *
 *     summand_gemm_options layer = {.row_bias = bias, .activation = SUMMAND_ACTIVATION_SIGMOID};
 *     summand_gemm(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, 1, w, x, 0, y, &layer);
 *
 * With samples as rows the layer is Y = X W^T: SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_YES and a
 * column bias. Back propagation, D = (W^T D') x (1 - x), multiplies by the derivative of the
 * activation. The caller's function does that. Here C has the distribution of x, the outputs of the
 * layer before:
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
 *     summand_gemm(SUMMAND_TRANSPOSE_YES, SUMMAND_TRANSPOSE_NO, 1, w, d, 0, before, &back);
 *
 * The gradient, D X^T, has SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_YES and nothing to finish.
 * Finished elements keep the promise of bits, because the library computes activations by its own
 * arithmetic in one order. The rank that holds an element finishes it, once, also if other ranks
 * helped.
 *
 * Algorithms. The library runs gemm-panels unless the caller names another algorithm. With
 * SUMMAND_PROMISE_SAME it runs gemm-boxes if the estimate says that this is faster: C is small
 * beside A or B, or on few ranks. gemm-boxes and gemm-pairs add up parts that depend on the grids
 * and blocks. So their bits are the same only for the same grids and blocks (and, of boxes, the
 * same machine model).
 *
 * Calls are collective over the communicator that the matrices were made on. Arguments marked (all)
 * must agree on all ranks; matrices agree if the same call made them. All ranks check this before
 * any element moves. A wrong argument or lack of memory on one rank is an error on every rank.
 * Ranks that differ get SUMMAND_ERR_MISMATCH. Each error is raised on the communicator's error
 * handler. */
#ifndef SUMMAND_GEMM_H
#define SUMMAND_GEMM_H

#include <summand/matrix.h>
#include <summand/options.h>
#include <summand/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How an operand enters. */
enum summand_transpose {
    SUMMAND_TRANSPOSE_NO = 0, /**< as it is */
    SUMMAND_TRANSPOSE_YES = 1 /**< transposed */
};

/** The activation of each element. The library computes it by its own arithmetic, with the same
 *  bits on all machines and an error of at most 4 units in the last place. The activation of a NaN
 *  is a NaN. */
enum summand_activation {
    SUMMAND_ACTIVATION_IDENTITY = 0,
    SUMMAND_ACTIVATION_SIGMOID = 1, /**< 1 / (1 + e^-x) */
    SUMMAND_ACTIVATION_TANH = 2,
    SUMMAND_ACTIVATION_RELU = 3 /**< 0 below 0, else x */
};

/** A rectangle of finished elements in this rank's local array of C. summand_matrix_index returns
 *  the global row and column of an element. */
typedef struct summand_gemm_tile {
    void *elements;          /**< [in,out] element (i, j) of the tile is number i + j * lead */
    MPI_Count lead;          /**< leading dimension of the local array, in elements */
    MPI_Count row, column;   /**< of the tile's first element in the local array, from 0 */
    MPI_Count rows, columns; /**< of the tile, at least 1 */
} summand_gemm_tile;

/** Options of a product. Zero is the default of every field; NULL means all zero. */
typedef struct summand_gemm_options {
    const char *algorithm; /**< (all) one of `summand list -c gemm`; NULL: the library's choice */
    enum summand_promise promise; /**< (all) at most SUMMAND_PROMISE_INDEX, the default */
    double timeout;               /**< seconds, as in summand_options; ranks may differ */
    int no_help;                  /**< (all) not 0: only ranks that hold a part of C compute */
    MPI_Count panel;  /**< (all) length of a panel in the inner dimension, in elements (of
                           gemm-pairs: of a block); 0: the library's choice */
    MPI_Count memory; /**< (all) approximate bytes that each rank may take for panels of others; 0:
                         256 MiB. With less memory there are more and smaller panels. gemm-pairs
                         refuses it */

    /* Finishing. Biases and the function are this rank's own. The arrays may change between starts.
     * Keep them until the plan is freed. */
    const void *row_bias;    /**< [in] a number of the matrices' type for each local row of C, or
                                  NULL */
    const void *column_bias; /**< [in] for each local column, or NULL */
    enum summand_activation activation; /**< (all) */
    /** NULL, or called with finished tiles, in any order, by the thread that starts, tests or
     * waits. Each element is in one tile of each start. The function may make only local calls of
     * MPI and of this library. If it treats each element by itself, bits do not depend on grids. */
    void (*finish)(const summand_gemm_tile *tile, void *context);
    void *context; /**< second argument of `finish` */
} summand_gemm_options;

/** C = alpha op(A) op(B) + beta C. Collective; blocks.
 *  @param trans_a (all) of A: rows x inner, or its transpose
 *  @param trans_b (all) of B: inner x columns, or its transpose
 *  @param alpha (all) rounded to the matrices' type
 *  @param a (all) [in] of doubles or floats, as b and c
 *  @param b (all) [in] may be a
 *  @param beta (all) rounded to the matrices' type
 *  @param c (all) [in,out] rows x columns; its elements must not overlap those of a or b in memory.
 *         Parts of one array may lie side by side
 *  @param options (all) NULL: the defaults
 *  Errors, on every rank:
 *  - SUMMAND_ERR_ARGUMENT: types or communicators differ, sizes do not fit, or an option is out of
 *    range
 *  - SUMMAND_ERR_ALGORITHM: no such algorithm, or not for these matrices
 *  - SUMMAND_ERR_MISMATCH, _MEMORY, _REMOTE, _TIMEOUT
 *
 *  If a rank passes NULL for all matrices, only that rank gets an error, raised on MPI_COMM_SELF;
 *  the others wait for it until their timeout.
 *
 *  The communicator caches the plan of the last call, whatever its size (up to options.memory), and
 *  those of the 7 calls before it that fit into 64 MiB with it. A later call with the same
 * matrices, transposes, scalars and options costs one agreement of all ranks and a start of the
 * cached plan. Elements, biases, the function and the timeout may change. Any other call makes a
 * plan. summand_matrix_free and summand_matrix_expose free the cached plans of their matrix.
 *  Sources: van de Geijn, Watts (1997), SUMMA: gemm-panels; Schmidtobreick (2017): gemm-pairs.
 */
SUMMAND_API int summand_gemm(enum summand_transpose trans_a, enum summand_transpose trans_b,
                             double alpha, const summand_matrix *a, const summand_matrix *b,
                             double beta, summand_matrix *c, const summand_gemm_options *options);

/** Makes a plan of summand_gemm, with the same arguments and errors (summand/plan.h). Collective;
 *  blocks. Elements are read and written between a start and its completion. Ranks may start plans
 *  of products in different orders, because each plan has its own window. All ranks must start a
 *  plan equally often.
 *  @param plan [out] to be freed by summand_plan_free; NULL after an error. Keep the memory of
 *         the matrices until the plan is freed. Freeing waits up to a second, until the other
 *         ranks have received what this rank has put */
SUMMAND_API int summand_gemm_init(enum summand_transpose trans_a, enum summand_transpose trans_b,
                                  double alpha, const summand_matrix *a, const summand_matrix *b,
                                  double beta, summand_matrix *c,
                                  const summand_gemm_options *options, summand_plan **plan);

#ifdef __cplusplus
}
#endif
#endif
