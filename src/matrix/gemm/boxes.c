/* SPDX-License-Identifier: BSD-3-Clause */
#include "matrix/gemm/boxes.h"

#include <stdlib.h>

enum { OPERANDS = 3 };

struct deal {
    struct summand__gemm_shape *shape;
    int ranks, *holder[OPERANDS]; /* holder number of each rank, or -1 */
    bool *taken;                  /* ranks that have a box, or hold nothing */
};

static const struct summand__gemm_operand *operand_of(const struct summand__gemm_shape *shape,
                                                      int number)
{
    return number == 0 ? &shape->a : number == 1 ? &shape->b : &shape->c;
}

bool summand__gemm_part_of(const struct summand__gemm_shape *shape,
                           const struct summand__gemm_job *job, int holder,
                           struct summand__gemm_part *part)
{
    const struct summand__holder *of = &shape->c.holder[holder];
    const struct summand__share rows = summand__interval_share(job->row, job->rows),
                                columns = summand__interval_share(job->first, job->count);
    struct summand__overlap row, column;
    if (!summand__overlap_next(&rows, &of->rows, job->row, &row) ||
        !summand__overlap_next(&columns, &of->columns, job->first, &column))
        return false;
    *part = (struct summand__gemm_part){
        row.to, column.to,
        (int64_t)summand__gemm_overlap(&rows, &of->rows, job->row, job->row + job->rows),
        (int64_t)summand__gemm_overlap(&columns, &of->columns, job->first,
                                       job->first + job->count)};
    return true;
}

const struct summand__gemm_job *summand__gemm_next_box(const struct summand__gemm_shape *shape,
                                                       const struct summand__gemm_job *job)
{
    for (int j = 0; j < shape->jobs; j++)
        if (shape->job[j].row == job->row && shape->job[j].first == job->first &&
            shape->job[j].k == job->k + job->inner)
            return &shape->job[j];
    return NULL;
}

/* Elements of a box's operands and result that a rank holds. */
static size_t held(const struct deal *deal, const struct summand__gemm_job *job, int rank)
{
    const struct summand__gemm_shape *shape = deal->shape;
    struct summand__gemm_part part;
    size_t count = 0;
    for (int side = 0; side < SUMMAND__GEMM_SIDES; side++) {
        bool rows = side == SUMMAND__GEMM_A;
        struct summand__gemm_need need = {.side = (enum summand__gemm_side)side,
                                          .begin = rows ? job->row : job->first,
                                          .count = rows ? job->rows : job->count,
                                          .k = job->k,
                                          .inner = job->inner};
        need.end = need.begin + need.count;
        need.outer = summand__interval_share(need.begin, need.count);
        if (deal->holder[side][rank] >= 0)
            count += summand__gemm_common(shape, &need, deal->holder[side][rank]);
    }
    int c = deal->holder[OPERANDS - 1][rank];
    return c >= 0 && summand__gemm_part_of(shape, job, c, &part)
               ? count + (size_t)(part.rows * part.columns)
               : count;
}

static void give(struct deal *deal, struct summand__gemm_job *job)
{
    size_t most = 0;
    job->rank = -1;
    for (int rank = 0; rank < deal->ranks; rank++) {
        size_t own = deal->taken[rank] ? 0 : held(deal, job, rank);
        if (!deal->taken[rank] && (job->rank < 0 || own > most)) {
            most = own;
            job->rank = rank;
        }
    }
    deal->taken[job->rank] = true;
}

static int64_t cut(int64_t extent, int parts, int part)
{
    return extent / parts * part + extent % parts * part / parts;
}

static void give_all(struct deal *deal)
{
    struct summand__gemm_shape *shape = deal->shape;
    const struct summand__gemm_boxes *boxes = &shape->boxes;
    for (int number = 0; number < boxes->rows * boxes->columns * boxes->inner; number++) {
        int s = number % boxes->inner, cell = number / boxes->inner;
        int i = cell % boxes->rows, j = cell / boxes->rows;
        struct summand__gemm_job job = {.holder = -1,
                                        .first = cut(shape->columns, boxes->columns, j),
                                        .row = cut(shape->rows, boxes->rows, i),
                                        .k = cut(summand__gemm_inner(shape), boxes->inner, s)};
        job.count = cut(shape->columns, boxes->columns, j + 1) - job.first;
        job.rows = cut(shape->rows, boxes->rows, i + 1) - job.row;
        job.inner = cut(summand__gemm_inner(shape), boxes->inner, s + 1) - job.k;
        if (!job.count || !job.rows || !job.inner)
            continue;
        give(deal, &job);
        shape->deep = job.inner > shape->deep ? job.inner : shape->deep;
        shape->job[shape->jobs++] = job;
    }
}

static int by_rank(const void *a, const void *b)
{
    const struct summand__gemm_job *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Measures the room for pieces, and for the parts that others put. */
static void measure(struct summand__gemm_shape *shape)
{
    shape->slot = shape->results = 0;
    for (int j = 0; j < shape->jobs; j++) {
        const struct summand__gemm_job *job = &shape->job[j];
        size_t slot =
            (size_t)((shape->a.shared ? 0 : job->rows) + (shape->b.shared ? 0 : job->count)) *
            (size_t)summand__gemm_panel(shape);
        shape->slot = slot > shape->slot ? slot : shape->slot;
    }
    for (int h = 0; h < shape->c.count; h++) {
        size_t results = 0;
        struct summand__gemm_part part;
        for (int j = 0; j < shape->jobs; j++)
            if (shape->job[j].rank != shape->c.holder[h].rank &&
                summand__gemm_part_of(shape, &shape->job[j], h, &part))
                results += (size_t)(part.rows * part.columns);
        shape->results = results > shape->results ? results : shape->results;
    }
    size_t stages = (size_t)summand__gemm_panels(shape);
    shape->slots = shape->boxes.slots && shape->boxes.slots < stages ? shape->boxes.slots : stages;
}

/* Finds the ranks that hold something; there may be more boxes than these. */
static int find_ranks(struct deal *deal)
{
    int count = 0;
    for (int rank = 0; rank < deal->ranks; rank++)
        deal->taken[rank] = true;
    for (int o = 0; o < OPERANDS; o++) {
        const struct summand__gemm_operand *operand = operand_of(deal->shape, o);
        for (int rank = 0; rank < deal->ranks; rank++)
            deal->holder[o][rank] = -1;
        for (int h = 0; h < operand->count; h++) {
            int rank = operand->holder[h].rank;
            deal->holder[o][rank] = h;
            count += deal->taken[rank];
            deal->taken[rank] = false;
        }
    }
    return count;
}

static void fit(struct summand__gemm_boxes *boxes, int ranks)
{
    int *parts[] = {&boxes->rows, &boxes->columns, &boxes->inner};
    for (int d = 0, left = ranks; d < OPERANDS; d++) {
        *parts[d] = *parts[d] < 1 ? 1 : *parts[d] < left ? *parts[d] : left;
        left /= *parts[d];
    }
}

bool summand__gemm_deal_boxes(struct summand__gemm_shape *shape, int ranks)
{
    struct deal deal = {.shape = shape, .ranks = ranks};
    int *holders = malloc((size_t)ranks * OPERANDS * sizeof *holders);
    deal.taken = malloc((size_t)ranks * sizeof *deal.taken);
    shape->job = malloc((size_t)ranks * sizeof *shape->job);
    shape->jobs = 0;
    shape->deep = 0;
    bool good = holders && deal.taken && shape->job;
    for (int o = 0; o < OPERANDS && good; o++)
        deal.holder[o] = holders + (size_t)o * (size_t)ranks;
    if (good) {
        fit(&shape->boxes, find_ranks(&deal));
        give_all(&deal);
        qsort(shape->job, (size_t)shape->jobs, sizeof *shape->job, by_rank);
        shape->panel = shape->boxes.panel;
        shape->chains = shape->ramp = shape->back = 0;
        measure(shape);
    }
    free(holders);
    free(deal.taken);
    return good;
}
