/* Sums of outer products over all processes of a communicator.
 *
 * Each rank has K pairs of vectors, a with N and b with M elements; K may differ, and may be 0. The
 * sum over all ranks and pairs is the matrix G of N x M elements: G = sum of a b^T. The gradient of
 * a layer of a neural network has this form, with K samples on each rank. An all-reduce of G moves
 * N M elements twice; the factors of a pair are N + M elements.
 *
 *     W = alpha G + beta W,      beta = 0: W = alpha G, and W is not read
 *
 * Bits. Element (i, j) is a chain over the pairs in the order of the ranks, and of each rank's:
 * s = +0, then s = fma(a[k][i], b[k][j], s); the result is alpha s (s itself where alpha is 1), or
 * fma(beta, W, alpha s) with alpha s rounded before. It depends neither on the number of ranks over
 * which the pairs are spread, nor on the algorithm, grid, blocks, MPI or instruction set. Factors
 * of 16 bits are widened to float, which is exact; their G is float. A NaN result is the canonical
 * quiet NaN. With `any_order`, other algorithms may run, and only this is promised: all ranks get
 * the same bits. `any_bits` gives up that too.
 *
 * Calls are collective over the communicator unless they say local. Arguments marked (all) must
 * agree on all ranks. Making a plan tells every rank where they do not; so do blocking calls with
 * SUMMAND_CHECK=on, and without it ranks may wait for ever then, unless SUMMAND_TIMEOUT is set. An
 * error of one rank's arguments or memory is an error of all that wait for it. docs/outer.md says
 * which algorithms there are, what they cost, and how they are chosen. */
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

/** Elements of the factors, and of G. */
enum summand_outer_type {
    SUMMAND_OUTER_DOUBLE, /**< double, double */
    SUMMAND_OUTER_FLOAT,  /**< float, float */
    SUMMAND_OUTER_BF16,   /**< 16 bits, the upper half of a float; float */
    SUMMAND_OUTER_F16     /**< 16 bits, IEEE 754's binary16; float */
};

/** Which ranks get which part of the result. */
enum summand_outer_result {
    SUMMAND_OUTER_ALL,    /**< the whole matrix on all ranks */
    SUMMAND_OUTER_ROWS,   /**< a block of rows on each (summand_outer_block) */
    SUMMAND_OUTER_BLOCKS, /**< a block on each rank of a grid */
    SUMMAND_OUTER_ROOT,   /**< the whole matrix on one rank */
    SUMMAND_OUTER_FACTORS /**< no sum: all pairs on all ranks, in their order, each a row of `g` of
                             N elements of a and then M of b */
};

/** A part of a matrix: rows [row, row + rows), columns [column, column + columns). */
typedef struct summand_outer_part {
    MPI_Count row, rows, column, columns;
} summand_outer_part;

/** Factors of which few elements are not zero: of pair k those from begin[k] to begin[k + 1]. Pairs
 *  of which a or b has none are not sent. Zeros that are not there are not multiplied: 0 times an
 *  infinity or NaN is nothing here, where dense factors make NaN; and a sum of -0, which only
 *  underflow makes, stays so. Otherwise bits are those of dense factors. */
typedef struct summand_outer_list {
    const MPI_Count *begin; /**< K + 1, ascending from 0 on */
    const uint32_t *index;  /**< ascending within a pair; one that comes again is one more link of
                                 the chain */
    const void *value;
} summand_outer_list;

/** A rank's part of G as compressed rows: elements that some pair has, alpha times their sums. */
typedef struct summand_outer_compressed {
    MPI_Count *begin; /**< [out] rows of the part and one: row i has [begin[i], begin[i + 1]). Of a
                           part without rows not touched */
    uint32_t *index;  /**< [out] columns of the matrix, ascending in each row */
    void *value;      /**< [out] of the type of G */
    MPI_Count room;   /**< elements that index and value have room for. Where more are needed, begin
                           is right, and the rest undefined: MPI_ERR_TRUNCATE, on this rank */
} summand_outer_compressed;

enum {
    SUMMAND_OUTER_PAIRS_OF_MATRIX = -2000000000 /**< for `pairs`: each matrix has its own */
};

/** A matrix of a call: the sum of outer products of its own factors. */
typedef struct summand_outer_matrix {
    MPI_Count rows, columns; /**< (all) N and M */
    const void *a;           /**< [in] K rows of N elements */
    MPI_Count lda;           /**< elements from one row of a to the next; 0: N */
    const void *b;           /**< [in] K rows of M elements */
    MPI_Count ldb;           /**< 0: M */
    /** [out], or [inout] where beta is not 0: this rank's part of W. Its first element is that of
     *  the part. Not significant on a rank that gets nothing. */
    void *g;
    MPI_Count ldg; /**< elements from one row of g to the next; 0: those of a row of the part.
                        What lies between is not touched */
    int symmetric; /**< (all) not 0: b is a, is not read and not sent; N = M. Elements opposite one
                        another are made once, where a part has both and pairs are many */
    MPI_Count pairs; /**< K of this matrix, for SUMMAND_OUTER_PAIRS_OF_MATRIX; else not read */
    /** (all: NULL or not) [in] a or b as a list: then `a` or `b` is not read. Rows and columns are
     *  less than 2^32. */
    const summand_outer_list *list_a, *list_b;
    /** (all: NULL or not) the result as compressed rows, of two lists or one; beta is 0, and `g`
     * not significant. */
    const summand_outer_compressed *compressed;
} summand_outer_matrix;

/** Options, (all) but those of the ranks' own; NULL means summand_outer_options_default(). */
typedef struct summand_outer_options {
    enum summand_outer_result result;
    int root;                    /**< of SUMMAND_OUTER_ROOT */
    int grid_rows, grid_columns; /**< of SUMMAND_OUTER_BLOCKS: no more than ranks in all; 0: the
                                      grid for which a rank receives least */
    double alpha, beta;          /**< rounded to the type of G */
    int replicated; /**< not 0: W is alike on all ranks, so that each may update a part of it for
                       all (SUMMAND_OUTER_ALL with beta not 0) */
    int any_order;  /**< not 0: pairs may be added in any order */
    /** Not 0: products of 256 pairs and more may be by the BLAS at hand (SUMMAND_BLAS), where bits
     *  are those of no rule: they may differ from rank to rank, and NaN be any. Of double and float
     *  alone. A BLAS may allocate, and take threads of its own. With any_order too each rank may
     * add up pairs in an order of its own (outer-bruck) */
    int any_bits;
    const char *algorithm; /**< name as in `summand list`, or NULL: chosen by the library */
    /** For the collectives inside: `algorithm` of those that it does, and its parameters; `timeout`
     *  of the call. `promise` is not looked at. */
    summand_options inside;
    MPI_Count room; /**< this rank's own, of SUMMAND_OUTER_FACTORS: rows that g has room for */
    /** This rank's own, or NULL: called in the call, or while the plan is started, tested or waited
     *  for, with rows of this rank's part of a matrix when they are done: each row once, in any
     *  stretches. It must not call Summand. Local. */
    void (*finished)(void *context, int matrix, MPI_Count row, MPI_Count rows);
    /** (all: NULL or not) Instead of a result: called likewise, with tiles of alpha G, which is
     *  formed nowhere; `g` is not significant, and beta is 0. Each element of this rank's part
     * comes once; in tiles of at most 1 MiB, or a row. Row i of a tile begins at i * ld. Not of
     *  SUMMAND_OUTER_FACTORS, nor of compressed rows. */
    void (*tile)(void *context, int matrix, const struct summand_outer_part *part,
                 const void *values, MPI_Count ld);
    void *context; /**< of both */
} summand_outer_options;

/** SUMMAND_OUTER_ALL, alpha 1, and else zeros. Local. */
SUMMAND_API summand_outer_options summand_outer_options_default(void);

/** W = alpha G + beta W of `n` matrices, for the latency of about one.
 *  @param type (all)
 *  @param pairs K, this rank's pairs of each matrix; may be 0 and differ. Or
 *  SUMMAND_OUTER_PAIRS_OF_MATRIX, (all)
 *  @param n (all) matrices, at most 64
 *  @param matrices [in] n of them
 *  @param options [in] or NULL
 *  @param comm an intra-communicator
 *  Errors: MPI_ERR_COUNT, MPI_ERR_ROOT, MPI_ERR_BUFFER (NULL where elements belong),
 *  SUMMAND_ERR_ARGUMENT (a leading dimension, grid, room, list or enumerator),
 *  SUMMAND_ERR_ALGORITHM, MPI_ERR_TRUNCATE, SUMMAND_ERR_MEMORY, and those of summand/error.h.
 *  Lists, `tile` and pairs of each matrix are by outer-gather alone, and take twice the memory.
 * Memory: at most the size of all factors, for any_order that of G, while the call or plan lives; a
 * call keeps that of a few shapes for the next ones. Each thread that makes
 * plans or products keeps 540 KiB until it ends. */
SUMMAND_API int summand_outer(enum summand_outer_type type, MPI_Count pairs, int n,
                              const summand_outer_matrix *matrices,
                              const summand_outer_options *options, MPI_Comm comm);

/** Makes a plan of it; arguments as summand_outer. All are fixed from now on, and every start takes
 *  what is in a, b and g then.
 *  @param plan [out] */
SUMMAND_API int summand_outer_init(enum summand_outer_type type, MPI_Count pairs, int n,
                                   const summand_outer_matrix *matrices,
                                   const summand_outer_options *options, MPI_Comm comm,
                                   summand_plan **plan);

/** Which part of matrix `matrix` a rank gets: what its `g` is for. Local.
 *  @param n, matrices as in the call; only rows and columns are read
 *  @param options [in] or NULL
 *  @param rank, ranks of the communicator
 *  @param part [out]
 *  Errors: MPI_ERR_ARG, for a matrix or rank that is none, or options that no call takes. */
SUMMAND_API int summand_outer_part_of(int n, const summand_outer_matrix *matrices, int matrix,
                                      const summand_outer_options *options, int rank, int ranks,
                                      summand_outer_part *part);

#ifdef __cplusplus
}
#endif
#endif
