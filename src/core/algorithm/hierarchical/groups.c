/* SPDX-License-Identifier: BSD-3-Clause */
/* Between nodes: neighbours share their vector before they exchange with others. A part of
 * compositions (node_leaders.c, node_direct.c), not in the table.
 *
 * What: `node` neighbouring ranks reduce-scatter their vector among them. Each exchanges its
 *   unsplit part with its opposites by recursive multiplying of radix `between`, or sends it up a
 *   k-ary tree. Then they gather. In groups of one nothing is shared.
 * When: the vector is too long to be sent whole to every partner, and too short to be cut into as
 *   many parts as there are ranks.
 * Cost: all-reduce for groups of g: 2 log2 g alpha + 2 m (g-1)/g beta, and for the exchange
 *   ceil(log_b p/g) (alpha + (b-1) m/g beta).
 * Source: composition. */
#include <limits.h>

#include "algorithm/hierarchical/multi_leader.h"
#include "algorithm/hierarchical/parts.h"

/* The algorithm for groups of one rank and its call, or NULL. */
static const struct summand__algorithm *alone(const struct summand__algorithm *groups,
                                              const struct summand__call *call,
                                              struct summand__call *one)
{
    if (call->parameter[SUMMAND__NODE_SIZE] > 1)
        return NULL;
    const struct summand__algorithm *algorithm = groups->composition.between[call->collective];
    *one = *call;
    one->parameter[SUMMAND__RADIX] = call->parameter[SUMMAND__INTER_NODE_RADIX];
    *one = summand__call_complete(algorithm, one);
    return algorithm;
}

static void build(const struct summand__algorithm *groups, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    struct summand__call one;
    const struct summand__algorithm *other = alone(groups, call, &one);
    if (other)
        other->build[call->collective](other, &one, schedule);
    else
        summand__leaders_build(groups, call, schedule);
}

static struct summand__cost cost(const struct summand__algorithm *groups,
                                 const struct summand__call *call, bool depth)
{
    struct summand__call one;
    const struct summand__algorithm *other = alone(groups, call, &one);
    return other ? other->cost(other, &one, depth) : summand__leaders_cost(groups, call, depth);
}

static double estimate(const struct summand__algorithm *groups, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    struct summand__call one;
    const struct summand__algorithm *other = alone(groups, call, &one);
    return other ? other->estimate(other, &one, element, model)
                 : summand__leaders_estimate(groups, call, element, model);
}

const struct summand__algorithm summand__groups = {
    .name = "groups",
    .description = "neighbours share their vector, parts are exchanged or reduced whole",
    .source = "composition",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__NODE_SIZE] = {1, INT_MAX, 1},
               [SUMMAND__LEADERS] = {1, 1024, 1},
               [SUMMAND__INTER_NODE_RADIX] = {2, 64, 3}},
    .build = {SUMMAND__VECTORS(build)},
    .cost = cost,
    .estimate = estimate,
    .composition = {.inside = &summand__rabenseifner,
                    .inside_time = summand__merge_time,
                    .between = {[SUMMAND__COLL_REDUCE] = &summand__kary,
                                [SUMMAND__COLL_ALLREDUCE] = &summand__recursive_multiplying,
                                [SUMMAND__COLL_BCAST] = &summand__kary}},
};
