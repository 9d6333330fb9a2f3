/* SPDX-License-Identifier: BSD-3-Clause */
#include "matrix/gemm/thesis_plan.h"

#include <stdlib.h>

#include "matrix/gemm/pieces.h"

struct points {
    int64_t *at;
    size_t count, room;
    bool failed;
};

static void add(struct points *points, int64_t at)
{
    if (points->count == points->room) {
        size_t room = 2 * points->room + 16;
        int64_t *more = realloc(points->at, room * sizeof *more);
        points->failed = points->failed || !more;
        if (!more)
            return;
        points->at = more;
        points->room = room;
    }
    points->at[points->count++] = at;
}

/* Adds the points at which intervals of a matrix's holders begin. */
static void add_matrix(struct points *points, const struct summand__gemm_operand *operand,
                       bool columns)
{
    for (int h = 0; h < operand->count; h++) {
        const struct summand__share *share =
            columns ? &operand->holder[h].columns : &operand->holder[h].rows;
        struct summand__interval interval;
        for (int64_t i = 0; summand__share_next(share, i, &interval) && !points->failed;
             i = interval.index + interval.count)
            add(points, interval.index);
    }
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Makes sorted points, each once, from 0 to the extent. */
static bool cut(struct summand__gemm_cuts *cuts, struct points *points, int64_t extent,
                int64_t block)
{
    for (int64_t i = 0; i < extent; i += block ? block : extent)
        add(points, i);
    add(points, extent);
    *cuts = (struct summand__gemm_cuts){points->at, 0};
    if (points->failed)
        return false;
    qsort(points->at, points->count, sizeof *points->at, by_value);
    size_t kept = 0;
    for (size_t i = 0; i < points->count; i++)
        if (!kept || points->at[i] != points->at[kept - 1])
            points->at[kept++] = points->at[i];
    cuts->count = kept - 1;
    return true;
}

static bool cut_all(struct summand__gemm_thesis *plan)
{
    const struct summand__gemm_shape *shape = plan->shape;
    struct points rows = {0}, columns = {0}, inner = {0};
    int64_t block = (int64_t)shape->block;
    add_matrix(&rows, &shape->a, shape->a.turned);
    add_matrix(&rows, &shape->c, false);
    add_matrix(&columns, &shape->b, !shape->b.turned);
    add_matrix(&columns, &shape->c, true);
    add_matrix(&inner, &shape->a, !shape->a.turned);
    add_matrix(&inner, &shape->b, shape->b.turned);
    bool good = cut(&plan->rows, &rows, shape->rows, block);
    good = cut(&plan->columns, &columns, shape->columns, block) && good;
    return cut(&plan->inner, &inner, shape->inner, block) && good;
}

static bool holds(const struct summand__share *share, int64_t index)
{
    struct summand__interval interval;
    return summand__share_next(share, index, &interval) && interval.index == index;
}

/* The holder of each piece of a matrix. The table has `high` rows: the stored rows, or columns if
 * it is transposed. */
static int *holders(const struct summand__gemm_operand *operand,
                    const struct summand__gemm_cuts *high, const struct summand__gemm_cuts *wide)
{
    int *holder = malloc((high->count * wide->count + 1) * sizeof *holder);
    for (int h = 0; h < operand->count && holder; h++) {
        const struct summand__holder *one = &operand->holder[h];
        for (size_t i = 0; i < high->count; i++)
            for (size_t j = 0; j < wide->count &&
                               holds(operand->turned ? &one->columns : &one->rows, high->first[i]);
                 j++)
                if (holds(operand->turned ? &one->rows : &one->columns, wide->first[j]))
                    holder[i * wide->count + j] = h;
    }
    return holder;
}

static size_t longest(const struct summand__gemm_cuts *cuts)
{
    int64_t most = 0;
    for (size_t i = 0; i < cuts->count; i++)
        most = summand__gemm_cut(cuts, i) > most ? summand__gemm_cut(cuts, i) : most;
    return (size_t)most;
}

bool summand__gemm_thesis_init(struct summand__gemm_thesis *plan,
                               const struct summand__gemm_shape *shape,
                               const struct summand__algorithm *algorithm)
{
    *plan = (struct summand__gemm_thesis){.shape = shape, .algorithm = algorithm};
    if (!cut_all(plan))
        return false;
    size_t rows = longest(&plan->rows), columns = longest(&plan->columns),
           inner = longest(&plan->inner), count = plan->inner.count + 1;
    plan->a = holders(&shape->a, &plan->rows, &plan->inner);
    plan->b = holders(&shape->b, &plan->inner, &plan->columns);
    plan->c = holders(&shape->c, &plan->rows, &plan->columns);
    plan->piece = (rows > columns ? rows : columns) * inner;
    plan->result = rows * columns;
    plan->pair = malloc(count * sizeof *plan->pair);
    plan->pair_of = malloc(count * sizeof *plan->pair_of);
    plan->number = malloc(count * sizeof *plan->number);
    plan->maker = malloc(2 * count * sizeof *plan->maker);
    return plan->a && plan->b && plan->c && plan->pair && plan->pair_of && plan->number &&
           plan->maker;
}

void summand__gemm_thesis_free(struct summand__gemm_thesis *plan)
{
    free(plan->rows.first);
    free(plan->columns.first);
    free(plan->inner.first);
    free(plan->a);
    free(plan->b);
    free(plan->c);
    free(plan->pair);
    free(plan->pair_of);
    free(plan->number);
    free(plan->maker);
}

size_t summand__gemm_thesis_steps(const struct summand__gemm_thesis *plan)
{
    return plan->rows.count * plan->columns.count;
}

static void add_maker(struct summand__gemm_thesis *plan, int rank)
{
    for (size_t i = 0; i < plan->makers; i++)
        if (plan->maker[i] == rank)
            return;
    plan->maker[plan->makers++] = rank;
}

static size_t pair_of(struct summand__gemm_thesis *plan, int a, int b)
{
    for (size_t p = 0; p < plan->pairs; p++)
        if (plan->pair[p].a == a && plan->pair[p].b == b)
            return p;
    plan->pair[plan->pairs] = (struct summand__gemm_pair){a, b, 0, 0};
    return plan->pairs++;
}

void summand__gemm_thesis_look(struct summand__gemm_thesis *plan, struct summand__gemm_block block)
{
    size_t columns = plan->columns.count;
    plan->row = block.row;
    plan->column = block.column;
    plan->pairs = plan->makers = 0;
    for (size_t k = 0; k < plan->inner.count; k++) {
        int a = plan->a[plan->row * plan->inner.count + k];
        int b = plan->b[k * columns + plan->column];
        plan->pair_of[k] =
            pair_of(plan, plan->shape->a.holder[a].rank, plan->shape->b.holder[b].rank);
        plan->number[k] = plan->pair[plan->pair_of[k]].size++;
    }
    for (size_t p = 0; p < plan->pairs; p++) {
        struct summand__gemm_pair *pair = &plan->pair[p];
        pair->half = pair->a == pair->b ? pair->size : pair->size - pair->size / 2;
        add_maker(plan, pair->a);
        if (pair->half < pair->size)
            add_maker(plan, pair->b);
    }
}

void summand__gemm_thesis_step(struct summand__gemm_thesis *plan, size_t step)
{
    summand__gemm_thesis_look(plan,
                              plan->algorithm->order(step, plan->rows.count, plan->columns.count));
}

int summand__gemm_thesis_owner(const struct summand__gemm_thesis *plan)
{
    return plan->shape->c.holder[plan->c[plan->row * plan->columns.count + plan->column]].rank;
}
