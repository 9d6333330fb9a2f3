/* Two levels for short messages: binomial trees inside nodes, binomial trees or recursive doubling
 * between their leaders.
 *
 * What: the ranks of a node reduce to its leader, the leaders reduce or all-reduce, and broadcast
 *   in their nodes.
 * When: short messages on clusters whose network is slower than a node's memory.
 * Cost: reduce (ceil(log2 k) alpha_node + ceil(log2 p/k) alpha_net), all-reduce as much and the
 *   broadcast.
 * Restrictions: nodes are consecutive ranks; the last may be smaller.
 * Source: composition of binomial.c and recursive_doubling.c. */
#include <limits.h>
#include <stdint.h>

#include "algorithm/hierarchical/node.h"
#include "algorithm/hierarchical/parts.h"

static const struct summand__levels levels = {
    .inside = &summand__binomial,
    .between = {[SUMMAND__COLL_REDUCE] = &summand__binomial,
                [SUMMAND__COLL_BCAST] = &summand__binomial,
                [SUMMAND__COLL_ALLREDUCE] = &summand__recursive_doubling},
};

static void build(const struct summand__call *call, struct summand__schedule *schedule)
{
    summand__node_build(call, &levels, schedule);
}

static struct summand__cost cost(const struct summand__call *call, bool depth)
{
    return summand__node_cost(call, &levels, depth);
}

static double estimate(const struct summand__call *call, size_t element,
                       const struct summand__model *model)
{
    return summand__node_estimate(call, element, model, &levels);
}

const struct summand__algorithm summand__node_binomial = {
    .name = "node-binomial",
    .description = "binomial trees inside nodes and between their leaders",
    .source = "composition",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__NODE_SIZE] = {1, INT_MAX, 1}},
    .build = {[SUMMAND__COLL_REDUCE] = build,
              [SUMMAND__COLL_ALLREDUCE] = build,
              [SUMMAND__COLL_BCAST] = build},
    .cost = cost,
    .estimate = estimate,
};
