/* SPDX-License-Identifier: BSD-3-Clause */
#include "outer/algorithm/slices.h"

struct summand__outer_need summand__outer_need_of(const struct summand__call *call, int rank)
{
    struct summand__outer_need need = {0, 0};
    for (int l = 0; l < call->outer->layers; l++) {
        struct summand__outer_block block = summand__outer_made(call, l, rank);
        need.a += block.rows;
        need.b += block.columns;
    }
    return need.a && need.b ? need : (struct summand__outer_need){0, 0};
}

/* The number of parts, the same on all ranks. Products follow their parts, except for a whole
 * result, whose rows are gathered then. Each factor has `parts`; if one is larger, both together
 * have as many, so that parts are about equally long. */
size_t summand__outer_side_parts(const struct summand__call *call, enum summand__outer_place which)
{
    const struct summand__outer_shape *shape = call->outer;
    size_t most = SUMMAND__OUTER_PARTS, parts = shape->parts > 0 ? (size_t)shape->parts : 1;
    if (shape->result == SUMMAND__OUTER_ALL || parts < 2)
        return 1;
    bool grid = shape->result == SUMMAND__OUTER_BLOCKS;
    double pr = grid ? shape->grid_rows : call->ranks, pc = grid ? shape->grid_columns : 1;
    double a = 0, b = 0;
    for (int l = 0; l < shape->layers; l++) {
        a += (double)shape->layer[l].rows / pr;
        b += (double)shape->layer[l].columns / pc;
    }
    double share = a + b > 0 ? (which == SUMMAND__OUTER_A ? a : b) / (a + b) : 0;
    size_t of_side = (size_t)(share * 2 * (double)parts + 0.5);
    return of_side < 1 ? 1 : of_side < most ? of_side : most;
}

struct summand__outer_side summand__outer_side_of(const struct summand__call *call,
                                                  enum summand__outer_place which, size_t part)
{
    return (struct summand__outer_side){
        .which = which, .part = part, .parts = summand__outer_side_parts(call, which)};
}

/* Of layer l, the first row or column that a rank takes on a side, and their number. */
size_t summand__outer_side_slice(const struct summand__call *call,
                                 const struct summand__outer_side *side, int l, int rank,
                                 size_t *count)
{
    struct summand__outer_block block = summand__outer_made(call, l, rank);
    bool a = side->which == SUMMAND__OUTER_A;
    size_t all = a ? block.rows : block.columns, first = summand__cut(all, side->part, side->parts);
    *count = summand__cut(all, side->part + 1, side->parts) - first;
    return (a ? block.row : block.column) + first;
}

size_t summand__outer_side_width(const struct summand__call *call,
                                 const struct summand__outer_side *side, int rank)
{
    size_t width = 0, count;
    for (int l = 0; summand__outer_need_of(call, rank).a && l < call->outer->layers; l++) {
        summand__outer_side_slice(call, side, l, rank, &count);
        width += count;
    }
    return width;
}

/* A rank's columns in the parts before. */
size_t summand__outer_side_before(const struct summand__call *call,
                                  const struct summand__outer_side *side, int rank)
{
    struct summand__outer_side before = *side;
    size_t width = 0;
    for (before.part = 0; before.part < side->part; before.part++)
        width += summand__outer_side_width(call, &before, rank);
    return width;
}

struct summand__outer_order summand__outer_order_of(const struct summand__call *call)
{
    return (struct summand__outer_order){
        .parts = {summand__outer_side_parts(call, SUMMAND__OUTER_A),
                  summand__outer_side_parts(call, SUMMAND__OUTER_B)},
        .seen = {1, 1}};
}

bool summand__outer_order_next(struct summand__outer_order *order)
{
    const size_t *parts = order->parts, *seen = order->seen;
    if (seen[0] == parts[0] && seen[1] == parts[1])
        return false;
    order->last =
        seen[0] == parts[0] || (seen[1] < parts[1] && seen[1] * parts[0] < seen[0] * parts[1]);
    order->seen[order->last]++;
    return true;
}

static struct summand__cost side_cost(const struct summand__call *call,
                                      const struct summand__outer_side *side)
{
    struct summand__cost cost = {.depth = 0};
    size_t takers = 0, total = 0;
    for (int r = 0; r < call->ranks; r++) {
        size_t width = summand__outer_side_width(call, side, r);
        takers += width > 0;
        total += width;
    }
    for (int r = 0; r < call->ranks; r++) {
        size_t pairs = summand__outer_pairs(call, r),
               width = summand__outer_side_width(call, side, r);
        if (!pairs)
            continue;
        cost.messages += takers - (width > 0);
        cost.elements += pairs * (total - width);
    }
    cost.depth = cost.messages > 0;
    return cost;
}

/* The first parts of both factors travel together. */
struct summand__cost summand__outer_slices_cost(const struct summand__call *call)
{
    static const enum summand__outer_place sides[] = {SUMMAND__OUTER_A, SUMMAND__OUTER_B};
    struct summand__cost cost = {.depth = 0};
    size_t first = 0, parts = 0;
    for (int s = 0; s < 2; s++)
        for (size_t part = 0; part < summand__outer_side_parts(call, sides[s]); part++, parts++) {
            const struct summand__outer_side side = summand__outer_side_of(call, sides[s], part);
            struct summand__cost more = side_cost(call, &side);
            cost.messages += more.messages;
            cost.elements += more.elements;
            cost.depth += part ? more.depth : 0;
            first |= part ? 0 : more.depth;
        }
    cost.depth += first;
    cost.depth_at_most = parts > 2;
    return cost;
}
