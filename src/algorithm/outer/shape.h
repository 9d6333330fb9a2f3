/* What a sum of outer products is about: matrices, pairs of each rank, who gets what of the result.
 *
 * G = sum over all pairs k of a_k b_k^T, N x M. A rank has K pairs of N + M elements each; L is the
 * number of all. A call may be about several matrices, its layers, each with N and M of its own. */
#ifndef SUMMAND_ALGORITHM_OUTER_SHAPE_H
#define SUMMAND_ALGORITHM_OUTER_SHAPE_H

#include "algorithm/algorithm.h"
#include "kernel/outer.h"

enum summand__outer_result {
    SUMMAND__OUTER_ALL,     /* the whole of G on all ranks */
    SUMMAND__OUTER_ROWS,    /* a block of rows on each */
    SUMMAND__OUTER_BLOCKS,  /* a block of a grid of ranks on each */
    SUMMAND__OUTER_ROOT,    /* the whole of G on the root */
    SUMMAND__OUTER_FACTORS, /* all pairs on all ranks: a row of N + M elements for each, in order */
    /* No sum: each rank has so many elements for each, one behind the other, in a of one layer with
     * a row; and gets those for it, in the order of the ranks. */
    SUMMAND__OUTER_PARCELS,
    SUMMAND__OUTER_RESULTS
};

enum { SUMMAND__OUTER_LAYERS = 64, SUMMAND__OUTER_PARTS = 8 };

struct summand__outer_layer {
    size_t rows, columns; /* N and M */
    bool symmetric;       /* b is a, and not sent */
    /* Of this rank; ldg between rows of its result. */
    size_t lda, ldb, ldg;
    /* Set by summand__outer_prepare: columns of all factors where a and b begin; where the rows of
     * each rank begin in G, and, of those that are not `common`, behind these, elements. */
    size_t at_a, at_b, common;
    size_t *spread, *rest;
};

/* A collective inside, and its parameters. */
struct summand__outer_part {
    const struct summand__algorithm *algorithm;
    size_t parameter[SUMMAND__PARAMETERS];
};

/* Collectives of rows and columns of the grid, or of groups of ranks (line.h): slices of a go along
 * rows and those of b along columns; blocks of a whole G along rows, and strips of its rows along
 * columns; rows of G in each group. */
enum summand__outer_line_kind {
    SUMMAND__OUTER_LINE_A,
    SUMMAND__OUTER_LINE_B,
    SUMMAND__OUTER_LINE_BLOCKS,
    SUMMAND__OUTER_LINE_STRIPS,
    SUMMAND__OUTER_LINE_GROUP,
    SUMMAND__OUTER_LINE_KINDS
};

struct summand__outer_shape {
    enum summand__outer_type type;
    enum summand__outer_result result;
    int layers;
    struct summand__outer_layer *layer;
    int grid_rows, grid_columns; /* rank r is in row r / grid_columns */
    /* On all ranks the rows of all results follow one another; and, of results that are read, these
     * are alike. */
    bool dense, replicated;
    bool any_bits;      /* products of many pairs may be by a BLAS */
    double alpha, beta; /* result = alpha G + beta result */
    int parts; /* in which factors travel, at most 8, one beside the product of that before; 0: 1 */
    double share; /* of G that each rank makes for itself while it gets the rest */
    /* Nodes of other sizes or in another order than runs of one size (shape/grouping.h), for
     * collectives inside, and for groups of ranks; or NULL. */
    const struct summand__grouping *grouping, *runs;
    struct summand__outer_part gather, spread, sum; /* of factors, of G's rows, and of whole G's */
    struct summand__outer_part line[SUMMAND__OUTER_LINE_KINDS];
    /* Set by summand__outer_prepare, ranks + 1 each: where the pairs of each rank begin, and their
     * elements among all factors, of which a pair has `width`. */
    const size_t *pairs, *factors;
    size_t width;
    size_t *room;
    /* Of parcels, element r * ranks + q: how many elements are from rank r to q. Set by
     * summand__outer_prepare: the most that a rank sends to others or receives from them; that it
     * has, with what it keeps; and that it keeps. */
    const size_t *parcel;
    size_t busiest, largest, kept;
};

struct summand__outer_block {
    size_t row, rows, column, columns;
};

/* Sets what is not set yet, for ranks with so many pairs each (of parcels: not read). False when
 * out of memory; to be released all the same. */
bool summand__outer_prepare(struct summand__outer_shape *shape, const size_t *pairs, int ranks);
/* A layer's rows that are not common, after `share` is another one. */
void summand__outer_lay_rest(struct summand__outer_shape *shape, int l, int ranks);
void summand__outer_release(struct summand__outer_shape *shape);

/* The part of G that a rank gets. */
struct summand__outer_block summand__outer_block_of(const struct summand__outer_shape *shape,
                                                    const struct summand__outer_layer *layer,
                                                    int rank, int root, int ranks);

/* Whether the result is alpha G + beta result, and not G. */
static inline bool summand__outer_updates(const struct summand__outer_shape *shape)
{
    return shape->alpha != 1 || shape->beta != 0;
}

/* The grid of all ranks, or fewer, for which the least is to be received: rows N / pr and columns
 * M / pc add up to the least. */
void summand__outer_grid(size_t rows, size_t columns, int ranks, int *grid_rows, int *grid_columns);

/* The calls of the collectives inside: an allgather of all factors, of layer l's rows of G (or of
 * those that are not common), and an all-reduce of layer l. */
struct summand__call summand__outer_gather(const struct summand__call *call);
struct summand__call summand__outer_spread(const struct summand__call *call, int l, bool rest);
struct summand__call summand__outer_sum(const struct summand__call *call, int l);

/* The call of one square matrix of doubles, of any bits, whole on all ranks, with a pair of each
 * rank: what is listed, predicted and drawn where nothing else is said. To be released. False when
 * out of memory.
 */
struct summand__outer_square {
    struct summand__outer_shape shape;
    struct summand__outer_layer layer;
};
bool summand__outer_square(struct summand__outer_square *square, size_t size, int ranks);

#endif
