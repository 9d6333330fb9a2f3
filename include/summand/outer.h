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
 * instruction set. Factors of 16 bits are widened to float, which is exact; their G is float. A NaN
 * result is the canonical quiet NaN. With `any_order` other algorithms may run, and the promise is
 * only that all ranks get the same bits. `any_bits` drops that promise too.
 *
 * Calls are collective over the communicator unless they say local. Arguments marked (all) must
 * agree on all ranks. If they differ, every rank gets SUMMAND_ERR_MISMATCH, whose text says what
 * differs where. If one rank's arguments are wrong by themselves or it lacks memory, it returns its
 * own error, and all ranks that wait for it return SUMMAND_ERR_REMOTE. docs/outer.md says which
 * algorithms there are, what they cost, and how the library chooses.
 *
 * Sources: Enderlin et al., "Distributed sum of outer products" (ETH); van de Geijn, Watts (1997),
 * SUMMA: the grid; Rabenseifner (2004). Each algorithm's file in src/algorithm/outer names its own.
 */
#ifndef SUMMAND_OUTER_H
#define SUMMAND_OUTER_H

#include <mpi.h>
#include <stdint.h>
#include <summand/error.h>
#include <summand/options.h>
#include <summand/plan.h>
#include <summand/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Type of the factors' elements, and of G's. */
enum summand_outer_type {
    SUMMAND_OUTER_DOUBLE, /**< factors double; G double */
    SUMMAND_OUTER_FLOAT,  /**< factors float; G float */
    SUMMAND_OUTER_BF16,   /**< factors of 16 bits, the upper half of a float; G float */
    SUMMAND_OUTER_F16     /**< factors of 16 bits, IEEE 754's binary16; G float */
};

/** Which ranks get which part of the result. */
enum summand_outer_result {
    SUMMAND_OUTER_ALL,    /**< the whole matrix on all ranks */
    SUMMAND_OUTER_ROWS,   /**< a block of rows on each rank (summand_outer_part_of) */
    SUMMAND_OUTER_BLOCKS, /**< a block on each rank of a grid; nothing on ranks outside it */
    SUMMAND_OUTER_ROOT,   /**< the whole matrix on one rank */
    SUMMAND_OUTER_FACTORS /**< no sum: all pairs on all ranks, in the order of the chain. Each pair
                             is a row of `g`: N elements of a, then M of b */
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
    void *value;      /**< [out] elements of the type of G */
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
    MPI_Count lda;           /**< elements from one row of a to the next, at least N; 0: N */
    const void *b;           /**< [in] K rows of M elements, each one vector b */
    MPI_Count ldb;           /**< elements from one row of b to the next, at least M; 0: M */
    /** [out], or [inout] if beta is not 0: this rank's part of W, by rows, from the part's first
     *  element on. Not significant on a rank that gets nothing. */
    void *g;
    MPI_Count ldg;   /**< elements from one row of g to the next; 0: the columns of the part. Gaps
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

/** Options. All ranks must agree, except in fields that say "this rank's own". NULL means
 *  summand_outer_options_default(). */
typedef struct summand_outer_options {
    enum summand_outer_result result;
    int root;                    /**< rank that gets the result of SUMMAND_OUTER_ROOT */
    int grid_rows, grid_columns; /**< of SUMMAND_OUTER_BLOCKS: their product is at most the number
                                      of ranks; both 0: the grid for which a rank receives least */
    double alpha, beta;          /**< rounded to the type of G */
    int replicated; /**< not 0: W is the same on all ranks, so each rank may update a part of it for
                         all (SUMMAND_OUTER_ALL with beta not 0) */
    int any_order;  /**< not 0: pairs may be added in any order */
    /** Not 0: a BLAS (SUMMAND_BLAS) may compute products of 256 pairs and more, of double and float
     *  only. Then no bits are promised: they may differ between ranks, and a NaN may be any NaN. A
     *  BLAS may allocate memory and start threads of its own. With any_order too, each rank may add
     *  pairs in an order of its own (outer-bruck). */
    int any_bits;
    const char *algorithm; /**< name as in `summand list`, or NULL: the library chooses */
    /** For the collectives inside: `algorithm`, with its parameters, for those that it can do. Also
     *  the call's `timeout` in seconds. `promise` is not read. */
    summand_options inside;
    MPI_Count room; /**< this rank's own, for SUMMAND_OUTER_FACTORS: rows that g has room for.
                         Where it is too small this rank gets SUMMAND_ERR_ARGUMENT, others
                         SUMMAND_ERR_REMOTE */
    /** This rank's own, or NULL. Called when rows [row, row + rows) of this rank's part of a matrix
     *  are complete: inside the call, or while the plan is started, tested or waited for. Each row
     *  is reported once, in any order. The function must not call Summand. */
    void (*finished)(void *context, int matrix, MPI_Count row, MPI_Count rows);
    /** (all: NULL or not) Takes tiles of alpha G, so G is stored nowhere. `g` is not significant,
     *  and beta must be 0. Called like `finished`; each element of this rank's part is in one tile,
     *  and `part` counts in the matrix's rows and columns. A tile has at most 1 MiB, or is one row;
     *  its row i begins at element i * ld of `values`. Not with SUMMAND_OUTER_FACTORS or compressed
     *  rows. */
    void (*tile)(void *context, int matrix, const struct summand_outer_part *part,
                 const void *values, MPI_Count ld);
    void *context; /**< first argument of both functions */
} summand_outer_options;

/** The defaults: SUMMAND_OUTER_ALL, alpha 1, all else 0 or NULL. Local. */
SUMMAND_API summand_outer_options summand_outer_options_default(void);

/** W = alpha G + beta W for `n` matrices, with about the latency of one. Collective; blocks.
 *  @param type (all) of all matrices
 *  @param pairs K, this rank's pairs of each matrix; may be 0, and may differ between ranks. Or
 *         SUMMAND_OUTER_PAIRS_OF_MATRIX (all)
 *  @param n (all) number of matrices, at most 64
 *  @param matrices [in] n of them
 *  @param options [in] or NULL
 *  @param comm an intra-communicator
 *
 *  Errors:
 *  - MPI_ERR_COUNT, MPI_ERR_ROOT
 *  - MPI_ERR_BUFFER: NULL where elements belong, or elements of `g` that are also elements of a, b
 *    or another `g`
 *  - SUMMAND_ERR_ARGUMENT: a leading dimension, grid, room, list or enumerator
 *  - SUMMAND_ERR_ALGORITHM: unknown, or it does not do this call
 *  - SUMMAND_ERR_MEMORY, _MISMATCH, _TIMEOUT, _REMOTE, _ENVIRONMENT
 *  - MPI_ERR_TRUNCATE (compressed rows), and errors of the MPI
 *
 *  Algorithm: with lists, `tile` or SUMMAND_OUTER_PAIRS_OF_MATRIX only outer-gather, or also
 *  outer-slices if the result is in parts or on a root.
 *
 *  Memory:
 *  - at most the size of all factors (with any_order the size of G) while the call or plan exists;
 *    twice that with lists, `tile` or SUMMAND_OUTER_PAIRS_OF_MATRIX
 *  - outer-grid, for a whole result: up to 1.3 times that; if named, its slices and parts of G
 *  - outer-slices, if named: also what a rank sends to all others
 *  - the communicator caches the plans of the last 4 shapes, with their memory
 *  - each thread that makes plans or products keeps 540 KiB until it ends */
SUMMAND_API int summand_outer(enum summand_outer_type type, MPI_Count pairs, int n,
                              const summand_outer_matrix *matrices,
                              const summand_outer_options *options, MPI_Comm comm);

/** Makes a plan of summand_outer, with the same arguments and errors. Collective; blocks. The
 *  arguments are fixed from now on. Each start (summand/plan.h) reads the elements that are in a, b
 *  and g at that time; do not change them before the plan is complete. In a list only values may
 *  change. If indices change and take another amount of memory, the start fails when it completes:
 *  summand_plan_wait or summand_plan_test returns SUMMAND_ERR_ARGUMENT on this rank and
 *  SUMMAND_ERR_REMOTE on ranks that get the list. The plan may be started again.
 *  @param plan [out] to be freed by summand_plan_free; NULL after an error */
SUMMAND_API int summand_outer_init(enum summand_outer_type type, MPI_Count pairs, int n,
                                   const summand_outer_matrix *matrices,
                                   const summand_outer_options *options, MPI_Comm comm,
                                   summand_plan **plan);

/** Returns the part of a matrix that a rank gets, that is, which elements its `g` holds. Local.
 *  @param n,matrices as in the call; only rows and columns are read
 *  @param matrix index of the matrix, from 0
 *  @param options [in] as in the call, or NULL
 *  @param rank,ranks a rank of the communicator, and its size
 *  @param part [out] with 0 rows or 0 columns if the rank gets nothing
 *  Errors: MPI_ERR_ARG if there is no such matrix or rank, or no call takes these options. */
SUMMAND_API int summand_outer_part_of(int n, const summand_outer_matrix *matrices, int matrix,
                                      const summand_outer_options *options, int rank, int ranks,
                                      summand_outer_part *part);

#ifdef __cplusplus
}
#endif
#endif
