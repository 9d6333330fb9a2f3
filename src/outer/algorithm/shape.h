/* SPDX-License-Identifier: BSD-3-Clause */
/* A sum of outer products: its matrices, the pairs of each rank, and the part of the result that
 * each rank gets.
 *
 * G = sum over all pairs k of a_k b_k^T, N x M. A rank has K pairs of N + M elements each; L is the
 * number of all pairs. A call may have several matrices, its layers, each with its own N and M. */
#pragma once

#include "algorithm/algorithm.h"
#include "compute/outer.h"

enum summand__outer_result {
    SUMMAND__OUTER_ALL,     /* the whole of G on all ranks */
    SUMMAND__OUTER_ROWS,    /* a block of rows on each */
    SUMMAND__OUTER_BLOCKS,  /* a block of a grid of ranks on each */
    SUMMAND__OUTER_ROOT,    /* the whole of G on the root */
    SUMMAND__OUTER_FACTORS, /* all pairs on all ranks: a row of N + M elements for each, in order */
    /* No sum, but an all-to-all: each rank has a block of elements (a parcel) for each rank,
     * contiguous in `a` of one layer with one row. It gets its parcels in the order of the
     * ranks. */
    SUMMAND__OUTER_PARCELS,
    SUMMAND__OUTER_RESULTS
};

enum { SUMMAND__OUTER_LAYERS = 64, SUMMAND__OUTER_PARTS = 8 };

struct summand__outer_layer {
    size_t rows, columns; /* N and M */
    bool symmetric;       /* b is a, and not sent */
    /* of this rank; ldg: between rows of its result */
    size_t lda, ldb, ldg;
    /* Set by summand__outer_prepare: the columns at which a and b begin in a row of all factors;
     * the elements of G at which the rows of each rank begin (`spread`), and the same of the rows
     * after the `common` ones (`rest`). */
    size_t at_a, at_b, common;
    size_t *spread, *rest;
};

/* A collective inside, and its parameters. */
struct summand__outer_part {
    const struct summand__algorithm *algorithm;
    size_t parameter[SUMMAND__PARAMETERS];
};

/* Collectives of rows and columns of the grid, or of groups of ranks (line.h). They gather slices
 * of a along rows, and slices of b along columns; blocks of a whole G along rows, and strips of its
 * rows along columns; rows of G in each group. */
enum summand__outer_line_kind {
    SUMMAND__OUTER_LINE_A,
    SUMMAND__OUTER_LINE_B,
    SUMMAND__OUTER_LINE_BLOCKS,
    SUMMAND__OUTER_LINE_STRIPS,
    SUMMAND__OUTER_LINE_GROUP,
    SUMMAND__OUTER_LINE_KINDS
};

/* The collectives inside that an algorithm runs, as bits: by the names of the parts. */
enum summand__outer_inside {
    SUMMAND__OUTER_BY_GATHER = 1,
    SUMMAND__OUTER_BY_SPREAD = 2,
    SUMMAND__OUTER_BY_SUM = 4,
    SUMMAND__OUTER_BY_LINES = 8,
    SUMMAND__OUTER_BY_GROUPS = 16,
    SUMMAND__OUTER_BY_NONE = 32 /* an algorithm is named */
};

struct summand__outer_shape {
    enum summand__outer_type type;
    enum summand__outer_result result;
    int layers;
    struct summand__outer_layer *layer;
    int grid_rows, grid_columns; /* rank r is in row r / grid_columns */
    /* dense: on all ranks the rows of all results are contiguous; replicated: results that are read
     * are the same on all ranks. */
    bool dense, replicated;
    bool any_bits;      /* a BLAS may compute products of many pairs */
    double alpha, beta; /* result = alpha G + beta result */
    int parts; /* parts in which factors travel, at most 8; the product of each part overlaps with
                  the messages of the next; 0: 1 */
    int bands; /* bands of rows in which a grid makes a whole result, on all ranks or a root; at
                  most 8; 0: 1 */
    double share; /* part of G that every rank computes while the rest is gathered */
    /* The grouping of nodes that are not runs of one size (shape/grouping.h), for collectives
     * inside and for groups of ranks; or NULL. */
    const struct summand__grouping *grouping, *runs;
    struct summand__outer_part gather, spread, sum; /* of factors, of G's rows, and of whole G's */
    struct summand__outer_part line[SUMMAND__OUTER_LINE_KINDS];
    unsigned named; /* those of enum summand__outer_inside that the caller's algorithm does; 0: none
                       is named */
    /* Set by summand__outer_prepare, ranks + 1 each: the first pair of each rank, and its first
     * element among all factors. A pair has `width` elements. */
    const size_t *pairs, *factors;
    size_t width;
    size_t *room;
    /* For parcels. Entry r * ranks + q: elements from rank r to rank q. summand__outer_prepare sets
     * the maxima over the ranks: `busiest`, elements sent to or received from others; `largest`,
     * elements including the rank's own parcel; `kept`, elements of its own parcel. */
    const size_t *parcel;
    size_t busiest, largest, kept;
    /* For factors that are not rows of elements: the most elements that a rank packs for sending,
     * and the seconds for a rank to search its own pairs and all that arrive. */
    size_t packed;
    double looks;
};

struct summand__outer_block {
    size_t row, rows, column, columns;
};

/* Sets the remaining fields. `pairs`: of each rank (not read for parcels). False when out of
 * memory; even then call summand__outer_release. */
bool summand__outer_prepare(struct summand__outer_shape *shape, const size_t *pairs, int ranks);
/* Sets `rest` of a layer again, after `share` has changed. */
void summand__outer_lay_rest(struct summand__outer_shape *shape, int l, int ranks);
void summand__outer_release(struct summand__outer_shape *shape);

/* The part of G that a rank gets. */
struct summand__outer_block summand__outer_block_of(const struct summand__outer_shape *shape,
                                                    const struct summand__outer_layer *layer,
                                                    int rank, int root, int ranks);

/* True if the result is alpha G + beta result, and not G. */
static inline bool summand__outer_updates(const struct summand__outer_shape *shape)
{
    return shape->alpha != 1 || shape->beta != 0;
}

/* Whether an algorithm with these collectives inside, and no others, may run: it must use the one
 * that the caller names. */
static inline bool summand__outer_takes(const struct summand__outer_shape *shape, unsigned inside)
{
    return !shape->named || (shape->named & inside);
}

/* The grid of all ranks, or fewer, that minimises N / pr + M / pc: a rank then receives least. */
void summand__outer_grid(size_t rows, size_t columns, int ranks, int *grid_rows, int *grid_columns);

/* The calls of the collectives inside: an allgather of all factors, of layer l's rows of G (or of
 * those that are not common), and an all-reduce of layer l, or a reduction for a root. */
struct summand__call summand__outer_gather(const struct summand__call *call);
struct summand__call summand__outer_spread(const struct summand__call *call, int l, bool rest);
struct summand__call summand__outer_sum(const struct summand__call *call, int l);

/* An example for lists, predictions and drawings: one matrix, the same number of pairs on each
 * rank, G whole or in parts, with any bits. */
struct summand__outer_form {
    size_t rows, columns, pairs;
    enum summand__outer_result result;
    enum summand__outer_type type;
    const struct summand__algorithm *inside; /* of the collectives inside that it does, or NULL */
};
struct summand__outer_example {
    struct summand__outer_shape shape;
    struct summand__outer_layer layer;
};
/* Blocks are of the grid for which a rank receives least. Release the shape afterwards. False when
 * out of memory. */
bool summand__outer_example(struct summand__outer_example *example,
                            const struct summand__outer_form *form, int ranks);
