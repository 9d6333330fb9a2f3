/* SPDX-License-Identifier: BSD-3-Clause */
#include "outer/algorithm/shape.h"

#include <stdlib.h>
#include <string.h>

#include "algorithm/call.h"

static void lay_out(struct summand__outer_shape *shape)
{
    shape->width = 0;
    for (int l = 0; l < shape->layers; l++) {
        struct summand__outer_layer *layer = &shape->layer[l];
        layer->at_a = shape->width;
        layer->at_b = layer->symmetric ? layer->at_a : layer->at_a + layer->rows;
        shape->width += layer->rows + (layer->symmetric ? 0 : layer->columns);
    }
}

/* The displacement of each rank's part of rows [first, rows), in elements from the first one. */
static void cut_rows(size_t *offsets, size_t first, size_t rows, size_t columns, int ranks)
{
    for (int r = 0; r <= ranks; r++)
        offsets[r] = summand__cut(rows - first, (size_t)r, (size_t)ranks) * columns;
}

/* The rest must have the same number of rows for each rank, because an allgather waits for the
 * longest block. */
static size_t common_of(const struct summand__outer_shape *shape, size_t rows, int ranks)
{
    double rest = (1 - shape->share) * (double)rows / ranks;
    size_t each = rest > 0 ? (size_t)(rest + 0.5) : 0;
    if (shape->share <= 0 || rows < (size_t)ranks)
        return shape->share > 0 ? rows : 0;
    return rows - (each * (size_t)ranks > rows ? rows / (size_t)ranks : each) * (size_t)ranks;
}

/* For parcels the pairs of a rank are its elements to send, one element each. */
static void add_parcels(struct summand__outer_shape *shape, size_t *begin, int ranks)
{
    const size_t n = (size_t)ranks;
    shape->busiest = shape->largest = shape->kept = 0;
    for (size_t r = 0; r < n; r++) {
        const size_t kept = shape->parcel[r * n + r];
        size_t sent = 0, received = 0;
        for (size_t q = 0; q < n; q++) {
            sent += shape->parcel[r * n + q];
            received += shape->parcel[q * n + r];
        }
        begin[r + 1] = begin[r] + sent;
        sent = received > sent ? received : sent;
        shape->largest = sent > shape->largest ? sent : shape->largest;
        shape->kept = kept > shape->kept ? kept : shape->kept;
        shape->busiest = sent - kept > shape->busiest ? sent - kept : shape->busiest;
    }
}

bool summand__outer_prepare(struct summand__outer_shape *shape, const size_t *pairs, int ranks)
{
    size_t n = (size_t)ranks + 1, *next;
    lay_out(shape);
    shape->room = next = malloc((2 + 2 * (size_t)shape->layers) * n * sizeof *next);
    if (!next)
        return false;
    size_t *begin = next, *factors = next + n;
    begin[0] = factors[0] = 0;
    const bool parcels = shape->result == SUMMAND__OUTER_PARCELS;
    if (parcels)
        add_parcels(shape, begin, ranks);
    for (int r = 0; r < ranks; r++) {
        if (!parcels)
            begin[r + 1] = begin[r] + pairs[r];
        factors[r + 1] = begin[r + 1] * shape->width;
    }
    shape->pairs = begin;
    shape->factors = factors;
    next += 2 * n;
    for (int l = 0; l < shape->layers; l++, next += 2 * n) {
        struct summand__outer_layer *layer = &shape->layer[l];
        layer->spread = next;
        layer->rest = next + n;
        cut_rows(layer->spread, 0, layer->rows, layer->columns, ranks);
        summand__outer_lay_rest(shape, l, ranks);
    }
    return true;
}

void summand__outer_lay_rest(struct summand__outer_shape *shape, int l, int ranks)
{
    struct summand__outer_layer *layer = &shape->layer[l];
    layer->common = common_of(shape, layer->rows, ranks);
    cut_rows(layer->rest, layer->common, layer->rows, layer->columns, ranks);
}

void summand__outer_release(struct summand__outer_shape *shape)
{
    free(shape->room);
    shape->room = NULL;
}

struct summand__outer_block summand__outer_block_of(const struct summand__outer_shape *shape,
                                                    const struct summand__outer_layer *layer,
                                                    int rank, int root, int ranks)
{
    struct summand__outer_block block = {0, layer->rows, 0, layer->columns};
    size_t pr = (size_t)ranks, pc = 1, r = (size_t)rank, c = 0;
    if (shape->result == SUMMAND__OUTER_ROOT && rank != root)
        return (struct summand__outer_block){0};
    if (shape->result != SUMMAND__OUTER_ROWS && shape->result != SUMMAND__OUTER_BLOCKS)
        return block;
    if (shape->result == SUMMAND__OUTER_BLOCKS) {
        pr = (size_t)shape->grid_rows;
        pc = (size_t)shape->grid_columns;
        c = r % pc;
        r /= pc;
        if (r >= pr)
            return (struct summand__outer_block){0};
    }
    block.row = summand__cut(layer->rows, r, pr);
    block.rows = summand__cut(layer->rows, r + 1, pr) - block.row;
    block.column = summand__cut(layer->columns, c, pc);
    block.columns = summand__cut(layer->columns, c + 1, pc) - block.column;
    return block;
}

void summand__outer_grid(size_t rows, size_t columns, int ranks, int *grid_rows, int *grid_columns)
{
    double least = -1;
    for (int pr = 1; pr <= ranks; pr++) {
        if (ranks % pr)
            continue;
        double received = (double)rows / pr + (double)columns / (ranks / pr);
        if (least >= 0 && received >= least)
            continue;
        least = received;
        *grid_rows = pr;
        *grid_columns = ranks / pr;
    }
}

static struct summand__call part_of(const struct summand__call *call,
                                    const struct summand__outer_part *part)
{
    struct summand__call of = {.rank = call->rank,
                               .ranks = call->ranks,
                               .in_place = true,
                               .grouping = call->outer->grouping};
    memcpy(of.parameter, part->parameter, sizeof of.parameter);
    return of;
}

struct summand__call summand__outer_gather(const struct summand__call *call)
{
    struct summand__call part = part_of(call, &call->outer->gather);
    part.collective = SUMMAND__COLL_ALLGATHERV;
    part.offsets = call->outer->factors;
    return part;
}

struct summand__call summand__outer_spread(const struct summand__call *call, int l, bool rest)
{
    const struct summand__outer_layer *layer = &call->outer->layer[l];
    struct summand__call part = part_of(call, &call->outer->spread);
    part.collective = SUMMAND__COLL_ALLGATHERV;
    part.offsets = rest ? layer->rest : layer->spread;
    return part;
}

struct summand__call summand__outer_sum(const struct summand__call *call, int l)
{
    const struct summand__outer_layer *layer = &call->outer->layer[l];
    struct summand__call part = part_of(call, &call->outer->sum);
    bool root = call->outer->result == SUMMAND__OUTER_ROOT;
    part.collective = root ? SUMMAND__COLL_REDUCE : SUMMAND__COLL_ALLREDUCE;
    part.root = root ? call->root : 0;
    part.count = layer->rows * layer->columns;
    return part;
}

bool summand__outer_example(struct summand__outer_example *example,
                            const struct summand__outer_form *form, int ranks)
{
    const bool factors = form->result == SUMMAND__OUTER_FACTORS;
    example->layer =
        (struct summand__outer_layer){.rows = form->rows,
                                      .columns = form->columns,
                                      .lda = form->rows,
                                      .ldb = form->columns,
                                      .ldg = form->columns + (factors ? form->rows : 0)};
    example->shape = (struct summand__outer_shape){.type = form->type,
                                                   .result = form->result,
                                                   .layers = 1,
                                                   .layer = &example->layer,
                                                   .dense = true,
                                                   .any_bits = true,
                                                   .alpha = 1,
                                                   .parts = 2,
                                                   .share = 0.25};
    summand__outer_grid(form->rows, form->columns, ranks, &example->shape.grid_rows,
                        &example->shape.grid_columns);
    size_t *pairs = malloc((size_t)ranks * sizeof *pairs);
    for (int r = 0; pairs && r < ranks; r++)
        pairs[r] = form->pairs;
    bool good = pairs && summand__outer_prepare(&example->shape, pairs, ranks);
    free(pairs);
    return good;
}
