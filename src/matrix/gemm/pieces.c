/* SPDX-License-Identifier: BSD-3-Clause */
#include "matrix/gemm/pieces.h"

const struct summand__gemm_operand *summand__gemm_operand(const struct summand__gemm_shape *shape,
                                                          enum summand__gemm_side side)
{
    return side == SUMMAND__GEMM_A ? &shape->a : &shape->b;
}

bool summand__gemm_inner_rows(const struct summand__gemm_shape *shape, enum summand__gemm_side side)
{
    return side == SUMMAND__GEMM_A ? shape->a.turned : !shape->b.turned;
}

struct summand__gemm_need summand__gemm_needs(const struct summand__gemm_shape *shape,
                                              const struct summand__gemm_job *job, int64_t panel,
                                              enum summand__gemm_side side)
{
    struct summand__gemm_need need = {.side = side};
    summand__gemm_panel_range(shape, job, panel, &need.k, &need.inner);
    if (job->holder < 0) {
        bool rows = side == SUMMAND__GEMM_A;
        need.begin = rows ? job->row : job->first;
        need.count = rows ? job->rows : job->count;
        need.end = need.begin + need.count;
        need.outer = summand__interval_share(need.begin, need.count);
        return need;
    }
    const struct summand__holder *tile = &shape->c.holder[job->holder];
    if (side == SUMMAND__GEMM_A) {
        need.outer = tile->rows;
        need.count = summand__share_extent(&tile->rows);
        need.end = shape->rows;
    } else {
        need.outer = tile->columns;
        need.base = job->first;
        need.count = job->count;
        need.begin = summand__share_index(&tile->columns, job->first);
        need.end = summand__share_index(&tile->columns, job->first + job->count - 1) + 1;
    }
    return need;
}

static void shift(struct summand__combs *combs, size_t base)
{
    for (size_t i = 0; i < combs->length; i++)
        combs->comb[i].to -= base;
}

static const struct summand__share *outer_of(const struct summand__holder *holder, bool inner_rows)
{
    return inner_rows ? &holder->columns : &holder->rows;
}

static const struct summand__share *inner_of(const struct summand__holder *holder, bool inner_rows)
{
    return inner_rows ? &holder->rows : &holder->columns;
}

bool summand__gemm_piece(const struct summand__gemm_shape *shape,
                         const struct summand__gemm_need *need, int number, enum summand__view view,
                         struct summand__gemm_piece *piece, bool *failed)
{
    const struct summand__holder *holder =
        &summand__gemm_operand(shape, need->side)->holder[number];
    bool inner_rows = summand__gemm_inner_rows(shape, need->side);
    struct summand__share panel = summand__interval_share(need->k, need->inner);
    struct summand__combs outer, inner;
    summand__combs_within(&outer, outer_of(holder, inner_rows), &need->outer, view, need->begin,
                          need->end);
    summand__combs_within(&inner, inner_of(holder, inner_rows), &panel, view, need->k,
                          need->k + need->inner);
    if (view != SUMMAND__VIEW_SENDER)
        shift(&outer, (size_t)need->base);
    *piece = (struct summand__gemm_piece){.rows = inner_rows ? inner : outer,
                                          .columns = inner_rows ? outer : inner,
                                          .outer = outer.total,
                                          .inner = inner.total,
                                          .inner_rows = inner_rows};
    *failed = *failed || outer.failed || inner.failed;
    if (outer.total && inner.total && !*failed)
        return true;
    summand__gemm_piece_free(piece);
    return false;
}

void summand__gemm_piece_free(struct summand__gemm_piece *piece)
{
    summand__combs_free(&piece->rows);
    summand__combs_free(&piece->columns);
}

size_t summand__gemm_overlap(const struct summand__share *a, const struct summand__share *b,
                             int64_t begin, int64_t end)
{
    struct summand__overlap overlap;
    size_t count = 0;
    while (begin < end && summand__overlap_next(a, b, begin, &overlap) && overlap.index < end) {
        int64_t most = end - overlap.index;
        count += (size_t)(overlap.count < most ? overlap.count : most);
        begin = overlap.index + overlap.count;
    }
    return count;
}

size_t summand__gemm_common(const struct summand__gemm_shape *shape,
                            const struct summand__gemm_need *need, int number)
{
    const struct summand__holder *holder =
        &summand__gemm_operand(shape, need->side)->holder[number];
    bool inner_rows = summand__gemm_inner_rows(shape, need->side);
    struct summand__share panel = summand__interval_share(need->k, need->inner);
    size_t outer =
        summand__gemm_overlap(outer_of(holder, inner_rows), &need->outer, need->begin, need->end);
    return outer ? outer * summand__gemm_overlap(inner_of(holder, inner_rows), &panel, need->k,
                                                 need->k + need->inner)
                 : 0;
}

size_t summand__gemm_packed_lead(const struct summand__gemm_piece *piece)
{
    return piece->inner_rows ? piece->inner : piece->outer;
}

size_t summand__gemm_panel_lead(const struct summand__gemm_shape *shape,
                                const struct summand__gemm_need *need)
{
    return (size_t)(summand__gemm_inner_rows(shape, need->side) ? need->inner : need->count);
}

static bool same_share(const struct summand__share *a, const struct summand__share *b)
{
    return a->first == b->first && a->width == b->width && a->stride == b->stride &&
           a->end == b->end;
}

bool summand__gemm_same_need(const struct summand__gemm_need *a, const struct summand__gemm_need *b)
{
    return a->side == b->side && same_share(&a->outer, &b->outer) && a->begin == b->begin &&
           a->end == b->end && a->k == b->k && a->inner == b->inner;
}
