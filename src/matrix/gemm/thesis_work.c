/* SPDX-License-Identifier: BSD-3-Clause */
#include "matrix/gemm/thesis_work.h"

#include <stdlib.h>

#include "compute/kernels.h"

bool summand__gemm_work_init(struct summand__gemm_work *work, int rank)
{
    work->in_row = malloc(work->plan.rows.count + 1);
    work->in_column = malloc(work->plan.columns.count + 1);
    for (size_t i = 0; work->in_row && i < work->plan.rows.count; i++)
        work->in_row[i] = summand__gemm_thesis_in_row(&work->plan, i, rank);
    for (size_t j = 0; work->in_column && j < work->plan.columns.count; j++)
        work->in_column[j] = summand__gemm_thesis_in_column(&work->plan, j, rank);
    return work->in_row && work->in_column;
}

void summand__gemm_work_free(struct summand__gemm_work *work)
{
    free(work->in_row);
    free(work->in_column);
    summand__gemm_thesis_free(&work->plan);
}

/* An inner piece of a pair. */
static size_t inner_of(const struct summand__gemm_work *work, size_t pair, size_t number)
{
    return work->plan.piece[work->plan.pair[pair].begin + number];
}

bool summand__gemm_work_is_in(const struct summand__gemm_work *work,
                              const struct summand__gemm_pair *pair)
{
    return pair->a == work->build.rank || pair->b == work->build.rank;
}

/* The piece of A or B for an inner piece of the block. */
static const struct summand__holder *holder_of(const struct summand__gemm_work *work,
                                               enum summand__gemm_side side, size_t k)
{
    const struct summand__gemm_thesis *plan = &work->plan;
    return side == SUMMAND__GEMM_A
               ? &plan->shape->a.holder[plan->a[plan->row * plan->inner.count + k]]
               : &plan->shape->b.holder[plan->b[k * plan->columns.count + plan->column]];
}

int64_t summand__gemm_work_outer(const struct summand__gemm_work *work,
                                 enum summand__gemm_side side)
{
    return side == SUMMAND__GEMM_A ? summand__gemm_cut(&work->plan.rows, work->plan.row)
                                   : summand__gemm_cut(&work->plan.columns, work->plan.column);
}

static size_t offset_of(const struct summand__share *share, int64_t index)
{
    struct summand__interval interval;
    return summand__share_next(share, index, &interval) ? (size_t)interval.offset : 0;
}

/* The first element of this rank's own piece, and its stored rows and columns. */
static struct summand__columns own_piece(const struct summand__gemm_work *work,
                                         enum summand__gemm_side side, size_t k, size_t *rows,
                                         size_t *columns)
{
    const struct summand__gemm_thesis *plan = &work->plan;
    const struct summand__holder *holder = holder_of(work, side, k);
    bool inner_rows = summand__gemm_inner_rows(work->build.shape, side);
    int64_t inner = plan->inner.first[k], width = summand__gemm_cut(&plan->inner, k);
    int64_t outer =
        side == SUMMAND__GEMM_A ? plan->rows.first[plan->row] : plan->columns.first[plan->column];
    struct summand__columns array = summand__gemm_array(&work->build, side);
    array.first += offset_of(&holder->columns, inner_rows ? outer : inner) * array.lead +
                   offset_of(&holder->rows, inner_rows ? inner : outer);
    *rows = (size_t)(inner_rows ? width : summand__gemm_work_outer(work, side));
    *columns = (size_t)(inner_rows ? summand__gemm_work_outer(work, side) : width);
    return array;
}

static struct summand__gemm_segment segment_of(const struct summand__gemm_work *work,
                                               enum summand__gemm_side side, size_t k,
                                               const struct summand__columns *slot)
{
    size_t rows, columns;
    struct summand__columns array = slot ? *slot : own_piece(work, side, k, &rows, &columns);
    return (struct summand__gemm_segment){work->plan.inner.first[k],
                                          summand__gemm_cut(&work->plan.inner, k), array};
}

static void multiply(struct summand__gemm_work *work, size_t k, enum summand__gemm_side came,
                     const struct summand__columns *slot)
{
    struct summand__gemm_segment a =
        segment_of(work, SUMMAND__GEMM_A, k, came == SUMMAND__GEMM_A ? slot : NULL);
    struct summand__gemm_segment b =
        segment_of(work, SUMMAND__GEMM_B, k, came == SUMMAND__GEMM_B ? slot : NULL);
    struct summand__gemm_target target = summand__gemm_work_part(work, work->buffer);
    summand__gemm_multiply(&work->build, &a, &b, a.k, a.count, &target, !work->made, false);
    work->made = true;
}

void summand__gemm_work_multiply(struct summand__gemm_work *work, enum summand__gemm_side side,
                                 size_t k, size_t first)
{
    bool inner_rows = summand__gemm_inner_rows(work->build.shape, side);
    struct summand__columns slot = {SUMMAND__GEMM_SLOTS, first,
                                    (size_t)(inner_rows ? summand__gemm_cut(&work->plan.inner, k)
                                                        : summand__gemm_work_outer(work, side))};
    multiply(work, k, side, &slot);
}

void summand__gemm_work_pair(struct summand__gemm_work *work, size_t number, size_t ahead,
                             summand__gemm_move *put, summand__gemm_move *take)
{
    const struct summand__gemm_pair *pair = &work->plan.pair[number];
    bool is_a = pair->a == work->build.rank, alone = pair->a == pair->b;
    enum summand__gemm_side sends = is_a ? SUMMAND__GEMM_A : SUMMAND__GEMM_B;
    enum summand__gemm_side comes = is_a ? SUMMAND__GEMM_B : SUMMAND__GEMM_A;
    int peer = is_a ? pair->b : pair->a;
    size_t begin = is_a ? 0 : pair->half, takes = is_a ? pair->half : pair->size - pair->half;
    size_t from = is_a ? pair->half : 0, gives = pair->size - takes, sent = 0;
    for (size_t r = 0; r <= takes; r++) {
        for (; sent < gives && (sent < r + ahead || r == takes); sent++)
            put(work, peer, sends, inner_of(work, number, from + sent));
        if (r < takes && alone)
            multiply(work, inner_of(work, number, r), SUMMAND__GEMM_A, NULL);
        else if (r < takes)
            take(work, peer, comes, inner_of(work, number, begin + r));
    }
}

/* A contiguous piece: in place if it is contiguous there, else packed. `packs`: this is the packing
 * round. */
static struct summand__region gathered(struct summand__gemm_work *work,
                                       enum summand__gemm_side side, size_t k, bool packs)
{
    size_t rows, columns;
    struct summand__columns own = own_piece(work, side, k, &rows, &columns);
    const size_t count = rows * columns;
    if (rows == own.lead || columns == 1)
        return summand__region((enum summand__place)own.place, own.first, count);
    size_t first = work->room;
    work->room += count;
    summand__gemm_room(&work->build, SUMMAND__GEMM_PACKED, work->room);
    if (packs)
        summand__compute(work->build.schedule, summand__kernel_named("pack"),
                         summand__tile(own.place, own.first, columns, rows, own.lead),
                         (struct summand__tile){0},
                         summand__tile(SUMMAND__GEMM_PACKED, first, 1, count, count), false);
    return summand__region((enum summand__place)SUMMAND__GEMM_PACKED, first, count);
}

struct summand__region summand__gemm_work_piece(struct summand__gemm_work *work,
                                                enum summand__gemm_side side, size_t k)
{
    return gathered(work, side, k, false);
}

void summand__gemm_work_pack(struct summand__gemm_work *work)
{
    work->room = 0;
    for (size_t p = 0; p < work->plan.pairs; p++) {
        const struct summand__gemm_pair *pair = &work->plan.pair[p];
        bool is_a = pair->a == work->build.rank;
        if (!summand__gemm_work_is_in(work, pair) || pair->a == pair->b)
            continue;
        for (size_t n = is_a ? pair->half : 0; n < (is_a ? pair->size : pair->half); n++)
            gathered(work, is_a ? SUMMAND__GEMM_A : SUMMAND__GEMM_B, inner_of(work, p, n), true);
    }
    if (work->room)
        summand__round(work->build.schedule);
    work->room = 0;
}

struct summand__gemm_target summand__gemm_work_part(const struct summand__gemm_work *work,
                                                    size_t number)
{
    int64_t rows = summand__gemm_work_outer(work, SUMMAND__GEMM_A);
    return (struct summand__gemm_target){
        {SUMMAND__GEMM_TILE, number * work->plan.result, (size_t)rows},
        rows,
        summand__gemm_work_outer(work, SUMMAND__GEMM_B)};
}

struct summand__gemm_target summand__gemm_work_result(const struct summand__gemm_work *work)
{
    const struct summand__gemm_thesis *plan = &work->plan;
    const struct summand__gemm_operand *c = &work->build.shape->c;
    const struct summand__holder *holder =
        &c->holder[plan->c[plan->row * plan->columns.count + plan->column]];
    size_t lead = summand__gemm_lead(c, summand__gemm_holder(c, work->build.rank));
    return (struct summand__gemm_target){
        {SUMMAND__GEMM_PLACE_C,
         offset_of(&holder->columns, plan->columns.first[plan->column]) * lead +
             offset_of(&holder->rows, plan->rows.first[plan->row]),
         lead},
        summand__gemm_work_outer(work, SUMMAND__GEMM_A),
        summand__gemm_work_outer(work, SUMMAND__GEMM_B)};
}
