/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of outer products over all processes of a communicator.
 *
 * Each rank has K pairs of vectors: a with N elements and b with M elements. K may differ between
 * ranks and may be 0. The sum over all ranks and pairs is the N x M matrix G = sum of a b^T. The
 * gradient of a layer of a neural network has this form, with K samples on each rank. An all-reduce
 * of G moves N M elements twice. A pair has only N + M elements (its factors), so the ranks
 * exchange factors instead.
 *
 *     W = alpha G + beta W,      beta = 0: W = alpha G, and W is not read
 *
 * Bits. Element (i, j) is a chain over all pairs: rank 0's in their order, then rank 1's, and so
 * on. It begins with s = +0, and each pair makes s = fma(a[k][i], b[k][j], s). The result is alpha
 * s (s itself if alpha is 1), or fma(beta, W, alpha s) with alpha s rounded first. The bits depend
 * neither on the number of ranks that share the pairs, nor on the algorithm, grid, blocks, MPI or
 * instruction set: the default is SUMMAND_PROMISE_INDEX, the strongest that the calls keep. Factors
 * of 16 bits are widened to float, which is exact; their G is float. A NaN result is the canonical
 * quiet NaN. options.promise may ask for less:
 * - SUMMAND_PROMISE_SAME: pairs may be added in any order, so other algorithms may run; all ranks
 *   get the same bits.
 * - SUMMAND_PROMISE_NONE: also, a BLAS (SUMMAND_BLAS) may compute products of 256 pairs and more,
 *   of double and float only, and each rank may add pairs in an order of its own.
 *   Bits may differ between ranks, and a NaN may be any NaN. A BLAS may allocate memory and start
 *   threads of its own.
 *
 * Calls are collective over the communicator unless they say local. Arguments marked (all) must
 * agree on all ranks. If they differ, every rank gets SUMMAND_ERR_MISMATCH, whose text says what
 * differs where. If one rank's arguments are wrong by themselves or it lacks memory, it returns its
 * own error, and all ranks that wait for it return SUMMAND_ERR_REMOTE. docs/outer.md says which
 * algorithms there are, what they cost, and how the library chooses.
 *
 * Sources: Enderlin et al., "Distributed sum of outer products" (ETH); van de Geijn, Watts (1997),
 * SUMMA: the grid; Rabenseifner (2004). Each algorithm's file in src/outer/algorithm names its own.
 */
#ifndef SUMMAND_OUTER_H
#define SUMMAND_OUTER_H

#include <stdint.h>
#include <summand/datatype.h>
#include <summand/error.h>
#include <summand/mpi.h>
#include <summand/options.h>
#include <summand/plan.h>
#include <summand/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Which ranks get which part of the result. */
enum summand_outer_result {
    SUMMAND_OUTER_WHOLE = 0,  /**< the whole matrix, on the rank `root` or on all */
    SUMMAND_OUTER_ROWS = 1,   /**< a block of rows on each rank (summand_outer_part_of) */
    SUMMAND_OUTER_BLOCKS = 2, /**< a block on each rank of a grid; nothing on ranks outside it */
    SUMMAND_OUTER_FACTORS = 3 /**< no sum: all pairs on all ranks, in the order of the chain. Each
                                   pair is a row of `g`: N elements of a, then M of b */
};

/** A part of a matrix: rows [row, row + rows), columns [column, column + columns), counted from 0.
 */
typedef struct summand_outer_part {
    MPI_Count row, rows, column, columns;
} summand_outer_part;

/** Sparse factors: a list of the elements that are not zero. Those of pair k have the numbers
 *  begin[k] to begin[k + 1] - 1. A pair whose a or b has no elements is not sent. Zeros that are
 *  not listed are not multiplied. The bits are those of dense factors, with two exceptions:
 *  - 0 times an infinity or NaN adds nothing, where dense factors give NaN.
 *  - a sum of -0, which only underflow gives, stays -0. */
typedef struct summand_outer_list {
    const MPI_Count *begin; /**< [in] K + 1 numbers, ascending from 0 */
    const uint32_t *index;  /**< [in] of each element: its place in the vector, from 0, ascending
                                 within a pair. Each repetition of an index adds one more product to
                                 the chain */
    const void *value;      /**< [in] of each element: its value, of the factors' type */
} summand_outer_list;

/** A rank's part of alpha G as compressed rows: only elements to which some pair contributes. */
typedef struct summand_outer_compressed {
    MPI_Count *begin; /**< [out] one number more than the part has rows: row i of the part has the
                           elements begin[i] to begin[i + 1] - 1. Not touched if the part has no
                           rows */
    uint32_t *index;  /**< [out] columns of the matrix, from 0, ascending in each row */
    void *value;      /**< [out] elements, of G's type */
    MPI_Count room;   /**< elements for which index and value have room. If more are needed, the
                           call returns MPI_ERR_TRUNCATE on this rank; then begin is right, and index
                           and value are undefined */
} summand_outer_compressed;

enum {
    SUMMAND_OUTER_PAIRS_OF_MATRIX = -2000000000 /**< for `pairs`: each matrix has its own */
};

/** A matrix of a call: the sum of outer products of its own factors. */
typedef struct summand_outer_matrix {
    MPI_Count rows, columns; /**< (all) N and M */
    const void *a;           /**< [in] K rows of N elements, each one vector a */
    MPI_Count lead_a;        /**< elements from one row of a to the next, at least N; 0: N */
    const void *b;           /**< [in] K rows of M elements, each one vector b */
    MPI_Count lead_b;        /**< elements from one row of b to the next, at least M; 0: M */
    /** [out], or [inout] if beta is not 0: this rank's part of W, by rows, from the part's first
     *  element on. Not significant on a rank that gets nothing. */
    void *g;
    MPI_Count lead_g; /**< elements from one row of g to the next; 0: the columns of the part. Gaps
                           between rows are not touched */
    int symmetric;   /**< (all) not 0: b is a, so `b` is neither read nor sent; N = M. From 64 pairs
                          on, elements (i, j) and (j, i) of one part are computed once */
    MPI_Count pairs; /**< K of this matrix, for SUMMAND_OUTER_PAIRS_OF_MATRIX; else not read */
    /** (all: NULL or not) [in] a or b as a list; then `a` or `b` is not read. Rows and columns must
     *  be less than 2^32. Not with SUMMAND_OUTER_FACTORS; a symmetric matrix has no list_b. */
    const summand_outer_list *list_a, *list_b;
    /** (all: NULL or not) The result as compressed rows. At least one factor must be a list, and
     *  beta must be 0. `g` is not significant. */
    const summand_outer_compressed *compressed;
} summand_outer_matrix;

/** Options. Zero is the default of every field; NULL means all zero. All ranks must agree, except
 *  in fields that say "this rank's own". */
typedef struct summand_outer_options {
    const char *algorithm;        /**< name as in `summand list`, or NULL: the library chooses */
    enum summand_promise promise; /**< at most SUMMAND_PROMISE_INDEX, the default */
    double timeout;               /**< this rank's own, as in summand_options */
    enum summand_outer_result result;
    int grid_rows, grid_columns; /**< of SUMMAND_OUTER_BLOCKS: their product is at most the number
                                      of ranks; both 0: the grid for which a rank receives least */
    int replicated; /**< not 0: W is the same on all ranks, so each rank may update a part of it for
                         all (SUMMAND_OUTER_WHOLE on all ranks, with beta not 0) */
    /** For the collectives inside: an algorithm, for those that it can do, and parameters. Its
     *  `promise` and `timeout` must be 0: the call has its own. */
    summand_options inside;
    MPI_Count
        room; /**< this rank's own, for SUMMAND_OUTER_FACTORS: rows that g has room for. If it is
                 too small, this rank gets SUMMAND_ERR_ARGUMENT, others SUMMAND_ERR_REMOTE */
    /** This rank's own, or NULL. Called when rows [row, row + rows) of this rank's part of a matrix
     *  are complete: inside the call, or while the plan is started, tested or waited for. Each row
     *  is reported once, in any order. The function must not call Summand. */
    void (*finished)(void *context, int matrix, MPI_Count row, MPI_Count rows);
    /** (all: NULL or not) Takes tiles of alpha G, so G is stored nowhere. `g` is not significant,
     *  and beta must be 0. Called like `finished`; each element of this rank's part is in one tile,
     *  and `part` counts in the matrix's rows and columns. A tile has at most 1 MiB, or is one row;
     *  its row i begins at element i * lead of `values`. Not with SUMMAND_OUTER_FACTORS or
     *  compressed rows. */
    void (*tile)(void *context, int matrix, const struct summand_outer_part *part,
                 const void *values, MPI_Count lead);
    void *context; /**< first argument of both functions */
} summand_outer_options;

/** The defaults: all zero. Local. */
SUMMAND_API summand_outer_options summand_outer_options_default(void);

/** W = alpha G + beta W for `n` matrices, with about the latency of one. Collective; blocks.
 *  @param pairs K, this rank's pairs of each matrix; may be 0, and may differ between ranks. Or
 *         SUMMAND_OUTER_PAIRS_OF_MATRIX (all)
 *  @param n (all) number of matrices, at most 64
 *  @param alpha (all) rounded to the type of G
 *  @param matrices [in] n of them
 *  @param beta (all) rounded to the type of G
 *  @param datatype (all) of the factors of all matrices: MPI_DOUBLE, MPI_FLOAT or Fortran's name of
 *         one, which G has too; or that of summand_float16_datatype or summand_bfloat16_datatype,
 *         or the MPI's own of the same numbers (summand/datatype.h): then G is MPI_FLOAT
 *  @param root (all) rank that gets the whole matrix, or SUMMAND_ROOT_ALL; SUMMAND_ROOT_ALL for all
 *         results but SUMMAND_OUTER_WHOLE
 *  @param comm an intra-communicator
 *  @param options [in] or NULL
 *
 *  Errors:
 *  - MPI_ERR_COUNT (pairs, n, rows, columns), _TYPE (MPI_DATATYPE_NULL), _ROOT, _COMM
 *  - MPI_ERR_BUFFER: NULL in place of matrices, lists or elements; or elements of `g` or of
 *    compressed rows that also belong to a factor, a list or another result of the call
 *  - SUMMAND_ERR_DATATYPE
 *  - SUMMAND_ERR_ARGUMENT: a leading dimension, the order of a list, or an option
 *  - SUMMAND_ERR_ALGORITHM: unknown, or it does not do this call
 *  - SUMMAND_ERR_MEMORY, _MISMATCH, _TIMEOUT, _REMOTE, _ENVIRONMENT
 *  - MPI_ERR_TRUNCATE (compressed rows), and errors of the MPI
 *
 *  Algorithm: with lists, `tile` or SUMMAND_OUTER_PAIRS_OF_MATRIX only outer-gather, or also
 *  outer-slices if the result is in parts or on a root.
 *
 *  Memory:
 *  - at most the size of all factors (with SUMMAND_PROMISE_SAME the size of G) while the call or
 *    plan exists; twice that with lists, `tile` or SUMMAND_OUTER_PAIRS_OF_MATRIX
 *  - outer-grid, for a whole result: if chosen, up to 1.3 times the size of all factors (for a
 *    root 2.7 times); if named, its slices and parts of G
 *  - outer-slices, if named: also what a rank sends to all others; for a root its rows of G, and on
 *    the root all of G if beta is not 0 or rows have gaps. outer-reduce: G
 *  - the communicator caches the plans of the last 8 shapes, with their memory
 *  - each thread that makes plans or products keeps 540 KiB until it ends */
SUMMAND_API int summand_outer(MPI_Count pairs, int n, double alpha,
                              const summand_outer_matrix *matrices, double beta,
                              MPI_Datatype datatype, int root, MPI_Comm comm,
                              const summand_outer_options *options);

/** Makes a plan of summand_outer, with the same arguments and errors. Collective; blocks. The
 *  arguments are fixed from now on. Each start (summand/plan.h) reads the elements that are in a, b
 *  and g at that time; do not change them before the plan is complete. In a list only values may
 *  change. If indices change and take another amount of memory, the start fails when it completes:
 *  summand_plan_wait or summand_plan_test returns SUMMAND_ERR_ARGUMENT on this rank and
 *  SUMMAND_ERR_REMOTE on ranks that get the list. The plan may be started again.
 *  @param plan [out] to be freed by summand_plan_free; NULL after an error */
SUMMAND_API int summand_outer_init(MPI_Count pairs, int n, double alpha,
                                   const summand_outer_matrix *matrices, double beta,
                                   MPI_Datatype datatype, int root, MPI_Comm comm,
                                   const summand_outer_options *options, summand_plan **plan);

/** Returns the part of a matrix that a rank gets: the elements of its `g`. Local.
 *  @param n,matrices as in the call; only rows and columns are read
 *  @param matrix index of the matrix, from 0
 *  @param root as in the call
 *  @param rank,ranks a rank of the communicator, and its size
 *  @param options [in] as in the call, or NULL
 *  @param part [out] with 0 rows or 0 columns if the rank gets nothing
 *  Errors, raised on no communicator: those of the call's arguments; MPI_ERR_RANK;
 *  SUMMAND_ERR_ARGUMENT (matrix; part NULL). */
SUMMAND_API int summand_outer_part_of(int n, const summand_outer_matrix *matrices, int matrix,
                                      int root, int rank, int ranks,
                                      const summand_outer_options *options,
                                      summand_outer_part *part);

#ifdef __cplusplus
}
#endif
#endif
