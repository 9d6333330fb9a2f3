/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups: generalized Rabenseifner within every group of ranks.
 *
 * How: all factors go to all ranks. Each of the g ranks of a group computes rows of the whole
 *   result; the group gathers these rows.
 * When: groups are nodes. Then the result never crosses the network, and the processors of a node
 *   share its computation. If nodes are uneven, runs of consecutive ranks are groups. With g = 1
 *   this is gather.c, with all ranks in one group rabenseifner.c.
 * Cost: that of the gather of L (N + M) elements; 2 N M L / g operations; allgathers of N M
 *   elements in groups.
 * Restrictions: as rabenseifner.c.
 * Source: the subgroups of the future work of Enderlin et al., "Distributed sum of outer products"
 *   (ETH). */
#include <limits.h>

#include "outer/algorithm/line.h"

static struct summand__outer_block rows_of(const struct summand__call *call, int l, int rank)
{
    const struct summand__outer_layer *layer = &call->outer->layer[l];
    struct summand__outer_line group =
        summand__outer_line_of(call, SUMMAND__OUTER_LINE_GROUP, rank);
    size_t first = summand__cut(layer->rows, (size_t)group.own, (size_t)group.ranks);
    size_t end = summand__cut(layer->rows, (size_t)group.own + 1, (size_t)group.ranks);
    return (struct summand__outer_block){first, end - first, 0, layer->columns};
}

static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    (void)algorithm;
    struct summand__outer_build all = summand__outer_begin(call, schedule);
    struct summand__call gather = summand__outer_gather(call);
    uint32_t place = summand__outer_own_factors(&all);
    summand__outer_embed(&all, &call->outer->gather, &gather, place, 0);
    for (int l = 0; l < call->outer->layers; l++) {
        size_t ldg = call->outer->layer[l].ldg;
        uint32_t result = summand__outer_place(l, SUMMAND__OUTER_G);
        struct summand__outer_block block = rows_of(call, l, call->rank);
        struct summand__outer_factors factors =
            summand__outer_factors_in(&all, place, l, 0, call->outer->pairs[call->ranks]);
        factors.a += block.row;
        summand__outer_product(&all, &factors, result, block.row * ldg, ldg, block.rows,
                               block.columns, true, true);
        struct summand__outer_line_target target = {
            .kind = SUMMAND__OUTER_LINE_GROUP, .l = l, .place = result};
        summand__outer_gather_lines(&all, 1, &target);
    }
}

static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)algorithm;
    struct summand__cost cost = summand__outer_gather_cost(call, depth);
    for (int l = 0; l < call->outer->layers; l++)
        cost = summand__outer_add(
            cost, summand__outer_lines_cost(call, SUMMAND__OUTER_LINE_GROUP, l, depth));
    return cost;
}

static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    (void)algorithm;
    (void)element;
    const struct summand__outer_shape *shape = call->outer;
    struct summand__call gather = summand__outer_gather(call);
    double pairs = (double)shape->pairs[call->ranks], time = 0;
    double unit = (double)summand__outer_result_size(shape->type);
    int first = summand__outer_longest_line(call, SUMMAND__OUTER_LINE_GROUP);
    struct summand__outer_line group =
        summand__outer_line_of(call, SUMMAND__OUTER_LINE_GROUP, first);
    if (call->ranks > 1)
        time = summand__estimate_of(shape->gather.algorithm, &gather,
                                    summand__outer_factor_size(shape->type), model);
    time += summand__outer_copy_seconds(shape, pairs / call->ranks * (double)shape->width, model);
    for (int l = 0; l < shape->layers; l++) {
        struct summand__outer_block block = rows_of(call, l, first + group.ranks - 1);
        double rows = (double)shape->layer[l].rows, columns = (double)block.columns;
        time +=
            summand__outer_seconds(shape, (double)block.rows, columns, pairs, model) +
            summand__outer_line_time(call, SUMMAND__OUTER_LINE_GROUP, rows * columns * unit, model);
    }
    return time;
}

static bool applicable(const struct summand__call *call)
{
    return summand__outer_spreads(call) && call->outer->gather.algorithm &&
           summand__outer_takes(call->outer, SUMMAND__OUTER_BY_GATHER | SUMMAND__OUTER_BY_GROUPS) &&
           (call->outer->line[SUMMAND__OUTER_LINE_GROUP].algorithm || call->ranks == 1 ||
            (call->outer->runs ? call->outer->runs->most
                               : (int)call->parameter[SUMMAND__NODE_SIZE]) == 1);
}

extern const struct summand__algorithm summand__outer_rabenseifner;

const struct summand__algorithm summand__outer_groups = {
    .name = "outer-groups",
    .description = "all factors to all ranks; each group gathers rows of the result",
    .source = "Enderlin et al., ETH (future work)",
    .promises = SUMMAND__PAIR_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__NODE_SIZE] = {1, INT_MAX, 16}},
    .applicable = applicable,
    .build = {[SUMMAND__COLL_OUTER] = build},
    .cost = cost,
    .estimate = estimate,
    .single_node_equivalent = {[SUMMAND__COLL_OUTER] = &summand__outer_rabenseifner},
};
