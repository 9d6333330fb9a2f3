/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank does in a product by pairs with its own and with received pieces of the current
 * block, whoever sends them and when. */
#pragma once

#include "matrix/gemm/build.h"
#include "matrix/gemm/thesis_plan.h"

struct summand__gemm_work {
    struct summand__gemm_build build;
    struct summand__gemm_thesis plan;
    size_t room;              /* of packed pieces, in this step */
    bool made;                /* this rank computes a part of this block */
    size_t buffer;            /* the buffer of that part */
    bool *in_row, *in_column; /* of blocks: this rank has pieces of A, of B there */
};

/* Needs `plan`. False when out of memory; to be freed all the same, with the plan. */
bool summand__gemm_work_init(struct summand__gemm_work *work, int rank);
void summand__gemm_work_free(struct summand__gemm_work *work);

/* Rows of the block's piece of A, or columns of that of B. */
int64_t summand__gemm_work_outer(const struct summand__gemm_work *work,
                                 enum summand__gemm_side side);

/* True if this rank is one of the pair. */
bool summand__gemm_work_is_in(const struct summand__gemm_work *work,
                              const struct summand__gemm_pair *pair);

/* A round that packs this rank's pieces for the block; and one of them, contiguous, to be put. */
void summand__gemm_work_pack(struct summand__gemm_work *work);
struct summand__region summand__gemm_work_piece(struct summand__gemm_work *work,
                                                enum summand__gemm_side side, size_t k);

/* Adds the product of inner pieces k to this rank's part of the block. One of them came, that of
 * `side`, and lies from `first` on in the slots. */
void summand__gemm_work_multiply(struct summand__gemm_work *work, enum summand__gemm_side side,
                                 size_t k, size_t first);
/* Both halves of a pair: this rank multiplies its half of the pieces with those that `take` waits
 * for, and has `put` send the pieces for the other half, `ahead` of them before it waits. A pair
 * that is one rank does neither. */
typedef void summand__gemm_move(struct summand__gemm_work *work, int peer,
                                enum summand__gemm_side side, size_t k);
void summand__gemm_work_pair(struct summand__gemm_work *work, size_t number, size_t ahead,
                             summand__gemm_move *put, summand__gemm_move *take);

/* Tile number `number` of the place of parts; and the block in this rank's C. */
struct summand__gemm_target summand__gemm_work_part(const struct summand__gemm_work *work,
                                                    size_t number);
struct summand__gemm_target summand__gemm_work_result(const struct summand__gemm_work *work);

/* thesis.c: the functions of a row of the table of algorithms, and the row for an order of the
 * blocks of C. */
void summand__gemm_pairs_build(const struct summand__algorithm *algorithm,
                               const struct summand__call *call,
                               struct summand__schedule *schedule);
/* The cost of puts. */
struct summand__cost summand__gemm_pairs_cost(const struct summand__algorithm *algorithm,
                                              const struct summand__call *call, bool depth);
bool summand__gemm_pairs_applicable(const struct summand__call *call);

#define SUMMAND__GEMM_PAIRS(word, says, ordered)                                                   \
    {                                                                                              \
        .name = word,                                                                              \
        .description =                                                                             \
            "blocks of C " says "; pairs of ranks split the inner sum, then owners add the parts", \
        .source = "Schmidtobreick (2017)", .promises = SUMMAND__SAME_BITS,                         \
        .applicable = summand__gemm_pairs_applicable,                                              \
        .build = {[SUMMAND__COLL_GEMM] = summand__gemm_pairs_build},                               \
        .cost = summand__gemm_pairs_cost, .order = ordered                                         \
    }
