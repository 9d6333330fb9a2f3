/* Two levels of post-order trees: `radix` children inside a node, twice as many between leaders.
 *
 * What: k-ary trees inside nodes and between their leaders; all-reduce between leaders by recursive
 *   multiplying.
 * When: short messages where several can be on their way: the best trees known to us on simulated
 *   clusters have radix 3 inside and 6 between nodes.
 * Cost: reduce h_node(radix) + h_net(2 radix) rounds of as many operands.
 * Restrictions: nodes are consecutive ranks; the last may be smaller.
 * Source: composition of kary.c and recursive_multiplying.c. */
#include <limits.h>
#include <stdint.h>

#include "reduce/node.h"
#include "reduce/parts.h"

static const struct summand__levels levels = {
    .inside = &summand__kary,
    .between = {[SUMMAND__COLL_REDUCE] = &summand__kary,
                [SUMMAND__COLL_BCAST] = &summand__kary,
                [SUMMAND__COLL_ALLREDUCE] = &summand__recursive_multiplying},
    .wider = 2,
};

static void build(const struct summand__call *call, struct summand__schedule *schedule)
{
    summand__node_build(call, &levels, schedule);
}

static struct summand__cost cost(const struct summand__call *call)
{
    return summand__node_cost(call, &levels);
}

static double estimate(const struct summand__call *call, size_t element,
                       const struct summand__model *model)
{
    return summand__node_estimate(call, element, model, &levels);
}

const struct summand__algorithm summand__node_trees = {
    .name = "node-trees",
    .description = "k-ary trees inside nodes, twice as wide ones between leaders",
    .source = "composition",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__NODE_SIZE] = {1, INT_MAX, 1},
               [SUMMAND__SEGMENT] = {1, SIZE_MAX, 0},
               [SUMMAND__RADIX] = {2, 32, 3}},
    .build = {[SUMMAND__COLL_REDUCE] = build,
              [SUMMAND__COLL_ALLREDUCE] = build,
              [SUMMAND__COLL_BCAST] = build},
    .cost = cost,
    .estimate = estimate,
};
