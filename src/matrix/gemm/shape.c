/* SPDX-License-Identifier: BSD-3-Clause */
#include "matrix/gemm/shape.h"

#include <stdlib.h>

int summand__gemm_holder(const struct summand__gemm_operand *operand, int rank)
{
    for (int h = 0; h < operand->count; h++)
        if (operand->holder[h].rank == rank)
            return h;
    return -1;
}

void summand__gemm_extent(const struct summand__holder *holder, int64_t *rows, int64_t *columns)
{
    *rows = summand__share_extent(&holder->rows);
    *columns = summand__share_extent(&holder->columns);
}

int64_t summand__gemm_back(const struct summand__gemm_shape *shape,
                           const struct summand__gemm_job *job)
{
    int64_t back = (int64_t)shape->back;
    return back && back < job->count ? back : job->count + !job->count;
}

size_t summand__gemm_lead(const struct summand__gemm_operand *operand, int holder)
{
    if (!operand->shared || holder < 0)
        return operand->lead;
    int64_t rows = summand__share_extent(&operand->holder[holder].rows);
    return (size_t)(rows + !rows);
}

/* The most inner elements of a job. */
static int64_t depth(const struct summand__gemm_shape *shape)
{
    return shape->deep ? shape->deep : summand__gemm_inner(shape);
}

int64_t summand__gemm_panel(const struct summand__gemm_shape *shape)
{
    int64_t inner = depth(shape);
    return shape->panel && (int64_t)shape->panel < inner ? (int64_t)shape->panel : inner;
}

static int64_t first_piece(const struct summand__gemm_shape *shape)
{
    int64_t panel = summand__gemm_panel(shape), ramp = (int64_t)shape->ramp + !shape->ramp;
    return panel ? (panel + ramp - 1) / ramp : 1;
}

int64_t summand__gemm_panels(const struct summand__gemm_shape *shape)
{
    int64_t panel = summand__gemm_panel(shape), piece = first_piece(shape);
    return panel ? (panel + piece - 1) / piece + (depth(shape) - 1) / panel : 0;
}

void summand__gemm_panel_range(const struct summand__gemm_shape *shape,
                               const struct summand__gemm_job *job, int64_t panel, int64_t *k,
                               int64_t *count)
{
    const bool box = job->holder < 0;
    int64_t inner = box ? job->inner : summand__gemm_inner(shape);
    int64_t width = summand__gemm_panel(shape), piece = first_piece(shape);
    int64_t pieces = (width + piece - 1) / piece;
    bool cut = panel < pieces;
    int64_t end = cut && width < inner ? width : inner, most = cut ? piece : width;
    *k = cut ? panel * piece : (panel - pieces + 1) * width;
    *k = *k < end ? *k : end;
    *count = end - *k < most ? end - *k : most;
    *k += box ? job->k : 0;
}

/* Elements of a holder's tile of C, and columns that are still to be assigned. */
struct tile {
    int64_t rows, columns, taken;
};

static bool add(struct summand__gemm_shape *shape, int holder, int rank, int64_t first,
                int64_t count)
{
    struct summand__gemm_job *more =
        realloc(shape->job, ((size_t)shape->jobs + 1) * sizeof *shape->job);
    if (!more)
        return false;
    shape->job = more;
    shape->job[shape->jobs++] =
        (struct summand__gemm_job){.holder = holder, .rank = rank, .first = first, .count = count};
    return true;
}

/* Ranks that hold A or B but nothing of C, each once; `ranks` has room for all. */
static int helpers_of(const struct summand__gemm_shape *shape, int *rank)
{
    const struct summand__gemm_operand *operands[] = {&shape->b, &shape->a};
    int count = 0;
    for (int o = 0; o < 2; o++)
        for (int h = 0; h < operands[o]->count; h++) {
            int one = operands[o]->holder[h].rank;
            bool known = summand__gemm_holder(&shape->c, one) >= 0;
            for (int i = 0; i < count && !known; i++)
                known = rank[i] == one;
            if (!known)
                rank[count++] = one;
        }
    return count;
}

/* Takes as many columns from the ends of tiles as make up a rank's share. */
static bool help(struct summand__gemm_shape *shape, struct tile *tiles, int rank, double share,
                 int *next)
{
    double left = share;
    for (; *next < shape->c.count; ++*next) {
        struct tile *tile = &tiles[*next];
        double excess =
            (double)(tile->columns - tile->taken) - share / (double)(tile->rows + !tile->rows);
        double mine = left / (double)(tile->rows + !tile->rows);
        int64_t count = (int64_t)((excess < mine ? excess : mine) + 0.5);
        if (tile->rows && count > 0) {
            tile->taken += count;
            left -= (double)count * (double)tile->rows;
            if (!add(shape, *next, rank, tile->columns - tile->taken, count))
                return false;
        }
        if (left < (double)tile->rows)
            return true;
    }
    return true;
}

static bool deal(struct summand__gemm_shape *shape, struct tile *tiles, int *helper)
{
    double total = 0;
    int helpers = shape->helps && summand__gemm_inner(shape) ? helpers_of(shape, helper) : 0;
    int next = 0;
    for (int h = 0; h < shape->c.count; h++) {
        summand__gemm_extent(&shape->c.holder[h], &tiles[h].rows, &tiles[h].columns);
        tiles[h].taken = 0;
        total += (double)tiles[h].rows * (double)tiles[h].columns;
    }
    for (int i = 0; i < helpers; i++)
        if (!help(shape, tiles, helper[i], total / (helpers + shape->c.count), &next))
            return false;
    for (int h = 0; h < shape->c.count; h++) {
        int64_t columns = tiles[h].columns - tiles[h].taken;
        if (tiles[h].rows && columns && !add(shape, h, shape->c.holder[h].rank, 0, columns))
            return false;
    }
    return true;
}

const struct summand__gemm_job *summand__gemm_jobs_of(const struct summand__gemm_shape *shape,
                                                      int rank, size_t *count)
{
    int begin = 0, end = shape->jobs;
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        if (shape->job[middle].rank < rank)
            begin = middle + 1;
        else
            end = middle;
    }
    while (end < shape->jobs && shape->job[end].rank == rank)
        end++;
    *count = (size_t)(end - begin);
    return shape->jobs ? &shape->job[begin] : NULL;
}

size_t summand__gemm_stages(const struct summand__gemm_shape *shape, int rank)
{
    size_t jobs;
    summand__gemm_jobs_of(shape, rank, &jobs);
    return jobs * (size_t)summand__gemm_panels(shape);
}

static int by_rank(const void *a, const void *b)
{
    const struct summand__gemm_job *x = a, *y = b;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank)
                              : (x->holder > y->holder) - (x->holder < y->holder);
}

static size_t most_stages(const struct summand__gemm_shape *shape)
{
    size_t most = 0;
    for (int j = 0; j < shape->jobs; j++) {
        size_t stages = summand__gemm_stages(shape, shape->job[j].rank);
        most = stages > most ? stages : most;
    }
    return most;
}

static void measure(struct summand__gemm_shape *shape, const struct tile *tiles)
{
    size_t panel = (size_t)summand__gemm_panel(shape);
    for (int j = 0; j < shape->jobs; j++) {
        const struct summand__gemm_job *job = &shape->job[j];
        int64_t rows = shape->a.shared ? 0 : tiles[job->holder].rows;
        size_t slot = (size_t)(rows + (shape->b.shared ? 0 : job->count)) * panel;
        shape->slot = slot > shape->slot ? slot : shape->slot;
    }
    size_t most = most_stages(shape);
    shape->slots = shape->slots && shape->slots < most ? shape->slots : most;
    for (int h = 0; h < shape->c.count; h++) {
        size_t results = shape->c.shared ? 0 : (size_t)(tiles[h].rows * tiles[h].taken);
        shape->results = results > shape->results ? results : shape->results;
    }
}

bool summand__gemm_prepare(struct summand__gemm_shape *shape)
{
    struct tile *tiles = malloc(((size_t)shape->c.count + 1) * sizeof *tiles);
    int *helper = malloc(((size_t)(shape->a.count + shape->b.count) + 1) * sizeof *helper);
    shape->job = NULL;
    shape->jobs = 0;
    shape->slot = shape->results = 0;
    bool good = tiles && helper && deal(shape, tiles, helper);
    if (good && shape->jobs)
        qsort(shape->job, (size_t)shape->jobs, sizeof *shape->job, by_rank);
    if (good)
        measure(shape, tiles);
    free(helper);
    free(tiles);
    return good;
}

void summand__gemm_release(struct summand__gemm_shape *shape)
{
    free(shape->job);
    shape->job = NULL;
    shape->jobs = 0;
}
