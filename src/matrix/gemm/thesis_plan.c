/* SPDX-License-Identifier: BSD-3-Clause */
#include "matrix/gemm/thesis_plan.h"

#include <stdlib.h>
#include <string.h>

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
    size_t *own = malloc((wide->count + 1) * sizeof *own);
    for (int h = 0; h < operand->count && holder && own; h++) {
        const struct summand__holder *one = &operand->holder[h];
        const struct summand__share *rows = operand->turned ? &one->columns : &one->rows,
                                    *columns = operand->turned ? &one->rows : &one->columns;
        size_t count = 0;
        for (size_t j = 0; j < wide->count; j++)
            if (holds(columns, wide->first[j]))
                own[count++] = j;
        for (size_t i = 0; i < high->count; i++) {
            size_t here = holds(rows, high->first[i]) ? count : 0;
            for (size_t j = 0; j < here; j++)
                holder[i * wide->count + own[j]] = h;
        }
    }
    if (!own)
        free(holder);
    free(own);
    return own ? holder : NULL;
}

static size_t longest(const struct summand__gemm_cuts *cuts)
{
    int64_t most = 0;
    for (size_t i = 0; i < cuts->count; i++)
        most = summand__gemm_cut(cuts, i) > most ? summand__gemm_cut(cuts, i) : most;
    return (size_t)most;
}

/* One more than the largest rank that holds A or B. */
static size_t ranks_of(const struct summand__gemm_shape *shape)
{
    int most = 0;
    for (int h = 0; h < shape->a.count; h++)
        most = shape->a.holder[h].rank > most ? shape->a.holder[h].rank : most;
    for (int h = 0; h < shape->b.count; h++)
        most = shape->b.holder[h].rank > most ? shape->b.holder[h].rank : most;
    return (size_t)most + 1;
}

static bool same_rows(const struct summand__gemm_thesis *plan, size_t i, size_t j)
{
    const size_t inner = plan->inner.count, columns = plan->columns.count;
    return !memcmp(plan->a + i * inner, plan->a + j * inner, inner * sizeof *plan->a) &&
           !memcmp(plan->c + i * columns, plan->c + j * columns, columns * sizeof *plan->c);
}

static bool same_columns(const struct summand__gemm_thesis *plan, size_t i, size_t j)
{
    const size_t columns = plan->columns.count;
    bool same = true;
    for (size_t k = 0; k < plan->inner.count && same; k++)
        same = plan->b[k * columns + i] == plan->b[k * columns + j];
    for (size_t row = 0; row < plan->rows.count && same; row++)
        same = plan->c[row * columns + i] == plan->c[row * columns + j];
    return same;
}

/* Cost: O(rows x kinds x pieces of a row), for columns likewise. */
static bool find_kinds(const struct summand__gemm_thesis *plan, struct summand__gemm_kinds *kinds,
                       size_t count,
                       bool (*same)(const struct summand__gemm_thesis *, size_t, size_t))
{
    kinds->example = malloc((count + 1) * sizeof *kinds->example);
    kinds->members = calloc(count + 1, sizeof *kinds->members);
    if (!kinds->example || !kinds->members)
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t kind = 0;
        while (kind < kinds->count && !same(plan, kinds->example[kind], i))
            kind++;
        if (kind == kinds->count)
            kinds->example[kinds->count++] = i;
        kinds->members[kind]++;
    }
    return true;
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
    plan->most_piece = (rows > columns ? rows : columns) * inner;
    plan->result = rows * columns;
    plan->pair = malloc(count * sizeof *plan->pair);
    plan->pair_of = malloc(count * sizeof *plan->pair_of);
    plan->number = malloc(count * sizeof *plan->number);
    plan->piece = malloc(count * sizeof *plan->piece);
    plan->maker = malloc(2 * count * sizeof *plan->maker);
    plan->makes = calloc(ranks_of(shape), sizeof *plan->makes);
    return plan->a && plan->b && plan->c && plan->pair && plan->pair_of && plan->number &&
           plan->piece && plan->maker && plan->makes &&
           find_kinds(plan, &plan->row_kinds, plan->rows.count, same_rows) &&
           find_kinds(plan, &plan->column_kinds, plan->columns.count, same_columns);
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
    free(plan->piece);
    free(plan->maker);
    free(plan->makes);
    free(plan->row_kinds.example);
    free(plan->row_kinds.members);
    free(plan->column_kinds.example);
    free(plan->column_kinds.members);
}

size_t summand__gemm_thesis_steps(const struct summand__gemm_thesis *plan)
{
    return plan->rows.count * plan->columns.count;
}

static void add_maker(struct summand__gemm_thesis *plan, int rank)
{
    if (plan->makes[rank])
        return;
    plan->makes[rank] = true;
    plan->maker[plan->makers++] = rank;
}

/* Pairs mostly come in turn, so the one after the last one is tried first. */
static size_t pair_of(struct summand__gemm_thesis *plan, int a, int b, size_t last)
{
    const size_t next = last + 1 < plan->pairs ? last + 1 : 0;
    if (plan->pairs && plan->pair[next].a == a && plan->pair[next].b == b)
        return next;
    for (size_t p = 0; p < plan->pairs; p++)
        if (plan->pair[p].a == a && plan->pair[p].b == b)
            return p;
    plan->pair[plan->pairs] = (struct summand__gemm_pair){.a = a, .b = b};
    return plan->pairs++;
}

static void add_pair(struct summand__gemm_thesis *plan, struct summand__gemm_pair *pair)
{
    pair->half = pair->a == pair->b ? pair->size : pair->size - pair->size / 2;
    add_maker(plan, pair->a);
    if (pair->half < pair->size)
        add_maker(plan, pair->b);
}

void summand__gemm_thesis_look(struct summand__gemm_thesis *plan, struct summand__gemm_block block)
{
    size_t last = 0, begin = 0;
    for (size_t m = 0; m < plan->makers; m++)
        plan->makes[plan->maker[m]] = false;
    plan->row = block.row;
    plan->column = block.column;
    plan->pairs = plan->makers = 0;
    for (size_t k = 0; k < plan->inner.count; k++) {
        int a = plan->a[plan->row * plan->inner.count + k];
        int b = plan->b[k * plan->columns.count + plan->column];
        last = pair_of(plan, plan->shape->a.holder[a].rank, plan->shape->b.holder[b].rank, last);
        plan->pair_of[k] = last;
        plan->number[k] = plan->pair[last].size++;
    }
    for (size_t p = 0; p < plan->pairs; p++) {
        plan->pair[p].begin = begin;
        begin += plan->pair[p].size;
        add_pair(plan, &plan->pair[p]);
    }
    for (size_t k = 0; k < plan->inner.count; k++)
        plan->piece[plan->pair[plan->pair_of[k]].begin + plan->number[k]] = k;
}

struct summand__gemm_block summand__gemm_thesis_block(const struct summand__gemm_thesis *plan,
                                                      size_t step)
{
    return plan->algorithm->order(step, plan->rows.count, plan->columns.count);
}

bool summand__gemm_thesis_in_row(const struct summand__gemm_thesis *plan, size_t row, int rank)
{
    bool found = false;
    for (size_t k = 0; k < plan->inner.count && !found; k++)
        found = plan->shape->a.holder[plan->a[row * plan->inner.count + k]].rank == rank;
    return found;
}

bool summand__gemm_thesis_in_column(const struct summand__gemm_thesis *plan, size_t column,
                                    int rank)
{
    bool found = false;
    for (size_t k = 0; k < plan->inner.count && !found; k++)
        found = plan->shape->b.holder[plan->b[k * plan->columns.count + column]].rank == rank;
    return found;
}

bool summand__gemm_thesis_owns(const struct summand__gemm_thesis *plan,
                               struct summand__gemm_block block, int rank)
{
    const int holder = plan->c[block.row * plan->columns.count + block.column];
    return plan->shape->c.holder[holder].rank == rank;
}

int summand__gemm_thesis_owner(const struct summand__gemm_thesis *plan)
{
    return plan->shape->c.holder[plan->c[plan->row * plan->columns.count + plan->column]].rank;
}
