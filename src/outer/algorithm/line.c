/* SPDX-License-Identifier: BSD-3-Clause */
#include "outer/algorithm/line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The grid: that of the shape, unless the result is by rows. */
static void grid_of(const struct summand__call *call, int *grid_rows, int *grid_columns)
{
    bool rows = call->outer->result == SUMMAND__OUTER_ROWS;
    *grid_rows = rows ? call->ranks : call->outer->grid_rows;
    *grid_columns = rows ? 1 : call->outer->grid_columns;
}

struct summand__outer_block summand__outer_grid_block(const struct summand__call *call, int l,
                                                      int rank)
{
    struct summand__outer_shape shape = *call->outer;
    shape.result = SUMMAND__OUTER_BLOCKS;
    grid_of(call, &shape.grid_rows, &shape.grid_columns);
    return summand__outer_block_of(&shape, &call->outer->layer[l], rank, 0, call->ranks);
}

size_t summand__outer_slices_before(const struct summand__call *call,
                                    enum summand__outer_place which, int index)
{
    const struct summand__outer_shape *shape = call->outer;
    int rows, columns;
    size_t before = 0;
    grid_of(call, &rows, &columns);
    for (int l = 0; l < shape->layers; l++)
        before += which == SUMMAND__OUTER_A
                      ? summand__cut(shape->layer[l].rows, (size_t)index, (size_t)rows)
                      : summand__cut(shape->layer[l].columns, (size_t)index, (size_t)columns);
    return before;
}

size_t summand__outer_slice(const struct summand__call *call, enum summand__outer_place which,
                            int index)
{
    return summand__outer_slices_before(call, which, index + 1) -
           summand__outer_slices_before(call, which, index);
}

static int group_size(const struct summand__call *call)
{
    size_t size = call->parameter[SUMMAND__NODE_SIZE];
    return size && size < (size_t)call->ranks ? (int)size : call->ranks;
}

/* Rows of the grid, or its columns, or groups. */
static bool is_row(enum summand__outer_line_kind kind)
{
    return kind == SUMMAND__OUTER_LINE_A || kind == SUMMAND__OUTER_LINE_BLOCKS;
}

struct summand__outer_line summand__outer_line_of(const struct summand__call *call,
                                                  enum summand__outer_line_kind kind, int rank)
{
    int rows, columns;
    grid_of(call, &rows, &columns);
    if (is_row(kind))
        return (struct summand__outer_line){rank - rank % columns, 1, columns, rank % columns};
    if (kind != SUMMAND__OUTER_LINE_GROUP)
        return (struct summand__outer_line){rank % columns, columns, rows, rank / columns};
    const struct summand__grouping *runs = call->outer->runs;
    int size = group_size(call), base = rank - rank % size, left = call->ranks - base;
    if (runs) {
        int group = summand__group_at(runs, rank);
        base = summand__group_first(runs, group);
        size = left = summand__group_size(runs, group);
    }
    return (struct summand__outer_line){base, 1, left < size ? left : size, rank - base};
}

/* The number of lines of that kind. */
static int lines_of(const struct summand__call *call, enum summand__outer_line_kind kind)
{
    int rows, columns;
    grid_of(call, &rows, &columns);
    if (kind == SUMMAND__OUTER_LINE_GROUP)
        return call->outer->runs ? call->outer->runs->groups
                                 : (call->ranks - 1) / group_size(call) + 1;
    return is_row(kind) ? rows : columns;
}

/* The first rank of line `i`. */
static int first_of(const struct summand__call *call, enum summand__outer_line_kind kind, int i)
{
    int rows, columns;
    grid_of(call, &rows, &columns);
    if (kind == SUMMAND__OUTER_LINE_GROUP)
        return call->outer->runs ? summand__group_first(call->outer->runs, i)
                                 : i * group_size(call);
    return is_row(kind) ? i * columns : i;
}

int summand__outer_longest_line(const struct summand__call *call,
                                enum summand__outer_line_kind kind)
{
    int most = 0, rank = 0,
        lines =
            kind == SUMMAND__OUTER_LINE_GROUP && call->outer->runs ? call->outer->runs->groups : 1;
    for (int i = 0; i < lines; i++) {
        int first = first_of(call, kind, i);
        int ranks = summand__outer_line_of(call, kind, first).ranks;
        if (ranks <= most)
            continue;
        most = ranks;
        rank = first;
    }
    return rank;
}

/* Pairs of row or column `index` of the grid. */
static size_t pairs_of(const struct summand__call *call, bool column, int index)
{
    const size_t *pairs = call->outer->pairs;
    int rows, columns;
    size_t sum = 0;
    grid_of(call, &rows, &columns);
    if (!column)
        return pairs[(index + 1) * columns] - pairs[index * columns];
    for (int i = 0; i < rows; i++)
        sum += summand__outer_pairs(call, i * columns + index);
    return sum;
}

/* Elements that member m of a rank's line has. */
static size_t elements_of(const struct summand__call *call, enum summand__outer_line_kind kind,
                          int l, int rank, const struct summand__outer_line *line, int m)
{
    const struct summand__outer_layer *layer = &call->outer->layer[l];
    struct summand__outer_block block;
    int rows, columns;
    grid_of(call, &rows, &columns);
    switch (kind) {
    case SUMMAND__OUTER_LINE_A:
        return pairs_of(call, true, m) *
               summand__outer_slice(call, SUMMAND__OUTER_A, rank / columns);
    case SUMMAND__OUTER_LINE_B:
        return pairs_of(call, false, m) *
               summand__outer_slice(call, SUMMAND__OUTER_B, rank % columns);
    case SUMMAND__OUTER_LINE_BLOCKS:
        block = summand__outer_grid_block(call, l, line->base + m * line->stride);
        return block.rows * block.columns;
    case SUMMAND__OUTER_LINE_STRIPS:
        return summand__outer_grid_block(call, l, line->base + m * line->stride).rows *
               layer->columns;
    default:
        return (summand__cut(layer->rows, (size_t)m + 1, (size_t)line->ranks) -
                summand__cut(layer->rows, (size_t)m, (size_t)line->ranks)) *
               layer->columns;
    }
}

struct summand__call summand__outer_line_call(const struct summand__call *call,
                                              enum summand__outer_line_kind kind, int l, int rank,
                                              size_t *offsets)
{
    struct summand__outer_line line = summand__outer_line_of(call, kind, rank);
    struct summand__call part = {.collective = SUMMAND__COLL_ALLGATHERV,
                                 .rank = line.own,
                                 .ranks = line.ranks,
                                 .offsets = offsets,
                                 .in_place = true};
    memcpy(part.parameter, call->outer->line[kind].parameter, sizeof part.parameter);
    offsets[0] = 0;
    for (int m = 0; m < line.ranks; m++)
        offsets[m + 1] = offsets[m] + elements_of(call, kind, l, rank, &line, m);
    return part;
}

/* The schedule of a line, and its place. False without memory, or if there is nothing to do. */
static bool make_line(const struct summand__outer_build *build,
                      const struct summand__outer_line_target *target,
                      struct summand__schedule *steps, struct summand__embedding *embedding)
{
    const struct summand__call *call = build->call;
    struct summand__schedule *whole = build->schedule;
    struct summand__outer_line line = summand__outer_line_of(call, target->kind, call->rank);
    *steps = (struct summand__schedule){0};
    if (line.ranks == 1 || whole->failed)
        return false;
    size_t *offsets = malloc(((size_t)line.ranks + 1) * sizeof *offsets);
    bool good = offsets;
    if (good) {
        struct summand__call part =
            summand__outer_line_call(call, target->kind, target->l, call->rank, offsets);
        good = summand__build(build->shape->line[target->kind].algorithm, &part, steps);
    }
    free(offsets);
    whole->failed = !good;
    *embedding = (struct summand__embedding){
        .base = line.base, .stride = line.stride, .odd = -1, .all = line.ranks == call->ranks};
    embedding->at[SUMMAND__SENDBUF].place = embedding->at[SUMMAND__RECVBUF].place = target->place;
    embedding->at[SUMMAND__RECVBUF].first = target->at;
    if (good)
        summand__outer_scratch(build, target->place, steps, embedding);
    return good;
}

void summand__outer_gather_lines(const struct summand__outer_build *build, int kinds,
                                 const struct summand__outer_line_target *target)
{
    struct summand__schedule steps[2];
    struct summand__embedding embedding[2];
    const struct summand__schedule *parts[2];
    const struct summand__embedding *embeddings[2];
    const size_t skew[2] = {0, 0};
    int n = 0;
    for (int i = 0; i < kinds; i++) {
        if (!make_line(build, &target[i], &steps[n], &embedding[n]))
            continue;
        parts[n] = &steps[n];
        embeddings[n] = &embedding[n];
        n++;
    }
    if (n && !build->schedule->failed) {
        summand__interleave(build->schedule, n, parts, embeddings, skew);
        summand__drain(build->schedule);
    }
    while (n)
        summand__schedule_free(&steps[--n]);
}

struct summand__cost summand__outer_lines_cost(const struct summand__call *call,
                                               enum summand__outer_line_kind kind, int l,
                                               bool depth)
{
    struct summand__cost cost = {.depth = 0};
    size_t *offsets = malloc(((size_t)call->ranks + 1) * sizeof *offsets), deepest = 0;
    cost.unknown = !offsets;
    for (int i = 0; offsets && i < lines_of(call, kind); i++) {
        int rank = first_of(call, kind, i);
        struct summand__call part = summand__outer_line_call(call, kind, l, rank, offsets);
        const struct summand__algorithm *algorithm = call->outer->line[kind].algorithm;
        if (part.ranks == 1)
            continue;
        struct summand__cost one =
            depth ? summand__cost_of(algorithm, &part) : summand__volume_of(algorithm, &part);
        deepest = one.depth > deepest ? one.depth : deepest;
        if (part.ranks < call->ranks) /* on a line of some ranks a multicast is single messages */
            one.repeats = one.repeated = 0;
        cost = summand__outer_add(cost, one);
    }
    cost.depth = deepest;
    free(offsets);
    return cost;
}

bool summand__outer_line_straddles(int ranks, enum summand__outer_line_kind kind,
                                   const struct summand__outer_line *line, double node)
{
    return kind != SUMMAND__OUTER_LINE_GROUP && line->stride == 1 && line->ranks < ranks &&
           node < ranks && fmod(node, line->ranks) > 0 && fmod(line->ranks, node) > 0;
}

struct summand__model summand__outer_line_model(const struct summand__call *call,
                                                enum summand__outer_line_kind kind,
                                                const struct summand__model *model)
{
    const struct summand__outer_line line =
        summand__outer_line_of(call, kind, summand__outer_longest_line(call, kind));
    struct summand__model seen = *model;
    if (summand__outer_line_straddles(call->ranks, kind, &line, model->per_node)) {
        seen.per_node = ceil(line.ranks / 2.0);
        for (int i = SUMMAND__NETWORK; i < SUMMAND__REACHES && model->shared_card > 0; i++)
            seen.level[i].byte *= call->ranks > 2 * model->per_node ? 2 : 1;
        return seen;
    }
    if (line.stride == 1 || model->per_node <= 1)
        return seen;
    const double beside = model->per_node < line.stride ? model->per_node : line.stride;
    seen.per_node = floor(model->per_node / beside);
    for (int i = SUMMAND__NETWORK; i < SUMMAND__REACHES && model->shared_card > 0; i++)
        seen.level[i].byte *= model->per_node / seen.per_node;
    return seen;
}

double summand__outer_line_time(const struct summand__call *call,
                                enum summand__outer_line_kind kind, double bytes,
                                const struct summand__model *model)
{
    struct summand__outer_line line =
        summand__outer_line_of(call, kind, summand__outer_longest_line(call, kind));
    const struct summand__outer_part *part = &call->outer->line[kind];
    const struct summand__model seen = summand__outer_line_model(call, kind, model);
    const size_t unit = kind <= SUMMAND__OUTER_LINE_B
                            ? summand__outer_factor_size(call->outer->type)
                            : summand__outer_result_size(call->outer->type);
    struct summand__call gather = {.collective = SUMMAND__COLL_ALLGATHER,
                                   .ranks = line.ranks,
                                   .in_place = true,
                                   .count = (size_t)(bytes / (double)unit / line.ranks)};
    if (line.ranks == 1 || bytes <= 0)
        return 0;
    memcpy(gather.parameter, part->parameter, sizeof gather.parameter);
    return summand__estimate_of(part->algorithm, &gather, unit, &seen) +
           (call->ranks > model->per_node
                ? 0
                : summand__outer_uncached_seconds(line.ranks, bytes, model));
}
