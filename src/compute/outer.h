/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of outer products: the rank-L update of a tile of a matrix, in a fixed order.
 *
 * Element (i, j) of a tile of G is a chain over the pairs k in their order:
 *     s = +0, or the value in g if the chain continues;   s = fma(a[k][i], b[k][j], s)
 * and unless it continues, the epilogue
 *     beta == 0:  g = alpha == 1 ? s : alpha * s         (g is not read)
 *     otherwise:  g = fma(beta, g, alpha == 1 ? s : alpha * s)
 * alpha and beta are rounded to the type of G first. Factors of 16 bits are widened to float, which
 * is exact. So every instruction set, any cut of rows, columns and pairs (a later part continues)
 * and any number of threads give the same bits. These are the bits of the plain loop with fma() in
 * the default floating-point environment (denormals kept), which a run sets. A NaN in a result is
 * the canonical quiet NaN. fma(x, y, s) = fma(y, x, s): if a and b are the same, G is symmetric in
 * every bit.
 *
 * Vectors go along rows of G; a block of its elements stays in registers for up to 128 pairs. Cost:
 * 2 operations per element and pair. G is written once, and read if the meaning requires it; beyond
 * 128 pairs it also holds partial sums unless there is an epilogue. b is read once in a call
 * (beyond 128 pairs once for each few hundred rows), a once for each strip of columns (2000 of
 * doubles for 16 pairs, 240 for 128). So tall tiles, of 64 rows and more, are best. Memory: 540 KiB
 * of each thread, from its first product until it ends. If a thread gets none: 56 KiB of the stack,
 * or 76 in order (see below), with the same bits, more slowly.
 *
 * Sources: a fixed order of pairs for reproducible results: J. Demmel and H. D. Nguyen (2013);
 * blocks in registers over packed panels: K. Goto and R. van de Geijn (2008). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Type of the factors. G is of double for F64, else of float. */
enum summand__outer_type {
    SUMMAND__OUTER_F64,
    SUMMAND__OUTER_F32,
    SUMMAND__OUTER_BF16, /* the upper half of a float */
    SUMMAND__OUTER_F16,  /* IEEE 754's binary16 */
    SUMMAND__OUTER_TYPES
};

/* Pointers need no alignment beyond that of their elements. g overlaps neither a nor b. */
struct summand__outer {
    const void *a,
        *b;  /* element (0, 0) of each tile: pair by pair, a[k * lda + i], b[k * ldb + j] */
    void *g; /* g[i * ldg + j]; nothing beyond `columns` is touched */
    size_t pairs, columns;
    size_t lda, ldb, ldg;    /* elements between rows; any if there is one row or none */
    double alpha, beta;      /* of the epilogue; 1 and 0: no epilogue, G is the chain itself */
    bool continues;          /* the chain continues from the values in g, without epilogue */
    bool turned_a, turned_b; /* factors stored by index, its pairs contiguous:
                                a[i * lda + k], b[j * ldb + k] */
    /* For a G that no cache holds. Results bypass the caches if that pays (kernel/stream.h), ldg is
     * a multiple of 64 bytes and g is not read; else g's lines are prefetched. Others see results
     * after summand__outer_run, as with any stores. */
    bool stream;
    /* Only elements with j >= i, rows and columns counted from those of g: a tile on the diagonal
     * of a symmetric G. Half the work. */
    bool upper;
};

/* Rows [first, first + rows) of the tile. */
void summand__outer_run(enum summand__outer_type type, const struct summand__outer *work,
                        size_t first, size_t rows);

/* The same for rows that run in ascending order, from 0 to all - 1. If a and b overlap, as for a
 * symmetric G or a block on its diagonal, and pairs are not few, opposite elements are computed
 * once and stored twice. The second store is in later rows. Half of the operations. Any thread may
 * run the next rows, with memory or without. */
void summand__outer_run_in_order(enum summand__outer_type type, const struct summand__outer *work,
                                 size_t all, size_t first, size_t rows);

/* Reserves this thread's memory for products, so that they find it. False: there is none. */
bool summand__outer_reserve(void);

/* Sparse factors: pair k has elements begin[k] to begin[k + 1]. Within a pair indices ascend. begin
 * NULL: each pair has `width` elements, and all pairs have these indices. */
struct summand__outer_list {
    const uint64_t *begin;
    const uint32_t *index;
    const void *value;
    size_t width;
};

struct summand__outer_sparse {
    struct summand__outer_list a, b;
    void *g;
    size_t pairs, columns, ldg;
    size_t row,
        column; /* indices of element (0, 0) of g; elements outside of the tile are left out */
};

/* Rows [first, first + rows) of the tile. The chain continues from the values in g, over the pairs
 * in their order, without epilogue; so the caller sets zeros before. Bits are those of the dense
 * chain with two exceptions: 0 x infinity and 0 x NaN add nothing here but NaN there; and a sum of
 * -0 stays -0, but dense zeros would make it +0. An index may repeat in a pair: one link of the
 * chain each time, row by row of the list of a. Cost: one operation and 2 accesses to G for each
 * element hit, and 4 searches for each pair. */
void summand__outer_scatter(enum summand__outer_type type, const struct summand__outer_sparse *work,
                            size_t first, size_t rows);

/* The epilogue of a row: g[j] = alpha s[j] + beta g[j], in the bits of summand__outer_run. It
 * overwrites s, which may be g if beta is 0. */
void summand__outer_finish(enum summand__outer_type type, void *s, void *g, size_t count,
                           double alpha, double beta);

/* Bytes of an element of the factors, and of G. */
size_t summand__outer_factor_size(enum summand__outer_type type);
size_t summand__outer_result_size(enum summand__outer_type type);
const char *summand__outer_type_name(enum summand__outer_type type);
