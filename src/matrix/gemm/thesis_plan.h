/* SPDX-License-Identifier: BSD-3-Clause */
/* Assigns the work of a product by pairs (thesis.c) to ranks. Rows, columns and the inner dimension
 * are cut at each end of a block of a matrix. So a piece of each matrix lies in one block of one
 * rank. A pair is a rank with pieces of A and one with pieces of B for the same inner pieces of a
 * block of C. The rank of A multiplies the first half of these inner pieces, the rank of B the
 * rest. */
#pragma once

#include "matrix/gemm/shape.h"

/* Seats: a rank has room only for the ranks that put to it, in the order of their numbers. */
struct summand__gemm_seats {
    int ranks;
    bool *gives;    /* [from * ranks + to] */
    size_t *givers; /* to each rank */
};

/* For two ranks: the other one's seat at this one, and this one's at the other. */
struct summand__gemm_seat {
    size_t here, there;
};

/* False when out of memory; to be freed all the same. */
bool summand__gemm_seats_init(struct summand__gemm_seats *seats, int ranks);
void summand__gemm_seats_free(struct summand__gemm_seats *seats);
struct summand__gemm_seat summand__gemm_seat_of(const struct summand__gemm_seats *seats, int own,
                                                int other);
/* The most seats of a rank. */
size_t summand__gemm_seats_most(const struct summand__gemm_seats *seats);

/* Piece i of a dimension: indices [first[i], first[i + 1]). */
struct summand__gemm_cuts {
    int64_t *first;
    size_t count;
};

struct summand__gemm_pair {
    int a, b;    /* ranks */
    size_t size; /* inner pieces; the first `half` of them are multiplied by a */
    size_t half;
    size_t begin; /* its inner pieces are piece[begin], ..., piece[begin + size - 1] */
};

/* Kinds of rows of blocks, or of columns: the same ranks hold their pieces of all matrices. On P x
 * P
 * + P x P ranks there are P. A block of two kinds has the same ranks as each other one of these. */
struct summand__gemm_kinds {
    size_t count;
    size_t *example, *members; /* of each kind: a row, and how many there are */
};

/* A block of C: the numbers of its pieces of rows and of columns. */
struct summand__gemm_block {
    size_t row, column;
};

struct summand__gemm_thesis {
    const struct summand__gemm_shape *shape;
    const struct summand__algorithm *algorithm; /* for its order of the blocks */
    struct summand__gemm_cuts rows, columns, inner;
    int *a, *b, *c; /* holders: of A by rows and inner pieces, of B by inner pieces and columns, of
                       C by rows and columns */
    size_t most_piece, result; /* most elements of a piece of A or B, and of a block of C */
    struct summand__gemm_kinds row_kinds, column_kinds;

    /* Of the current block. */
    size_t row, column;
    struct summand__gemm_pair *pair; /* in the order of their first inner piece */
    size_t pairs;
    size_t *pair_of, *number; /* of each inner piece: its pair, and its number in the pair */
    size_t *piece;            /* inner pieces, pair after pair */
    int *maker;    /* ranks that compute a part of the block, each once, in the order in which the
                      parts are added: pair by pair, a first */
    size_t makers; /* their number */
    bool *makes;   /* by rank */
};

/* False when out of memory; to be freed all the same. */
bool summand__gemm_thesis_init(struct summand__gemm_thesis *plan,
                               const struct summand__gemm_shape *shape,
                               const struct summand__algorithm *algorithm);
void summand__gemm_thesis_free(struct summand__gemm_thesis *plan);

/* steps: the number of blocks of C. look: makes a block the current one. block: the one that is
 * number `step` in the algorithm's order. */
size_t summand__gemm_thesis_steps(const struct summand__gemm_thesis *plan);
void summand__gemm_thesis_look(struct summand__gemm_thesis *plan, struct summand__gemm_block block);
struct summand__gemm_block summand__gemm_thesis_block(const struct summand__gemm_thesis *plan,
                                                      size_t step);

/* Whether a rank holds a piece of A in a row of blocks, of B in a column, or a block of C. */
bool summand__gemm_thesis_in_row(const struct summand__gemm_thesis *plan, size_t row, int rank);
bool summand__gemm_thesis_in_column(const struct summand__gemm_thesis *plan, size_t column,
                                    int rank);
bool summand__gemm_thesis_owns(const struct summand__gemm_thesis *plan,
                               struct summand__gemm_block block, int rank);

/* The rank that holds the block. */
int summand__gemm_thesis_owner(const struct summand__gemm_thesis *plan);

/* Adds the seats for pieces and for parts of the current block. */
void summand__gemm_thesis_seat(const struct summand__gemm_thesis *plan,
                               struct summand__gemm_seats *pieces,
                               struct summand__gemm_seats *parts);

static inline int64_t summand__gemm_cut(const struct summand__gemm_cuts *cuts, size_t i)
{
    return cuts->first[i + 1] - cuts->first[i];
}
