/* A chain of nodes with a k-ary tree inside each, any root.
 *
 * What: each node reduces to its leader, the leaders hand on along the nodes from both ends to the
 *   root; all-reduce meets in the middle node and flows back at once. One tree on two levels, so
 *   segments are under way in all nodes at once and every network card carries the vector once.
 * When: long vectors on clusters: reduce and broadcast at the card's bandwidth.
 * Cost: reduce (N - 1) (alpha_net + s beta_net) + h (alpha_node + s beta_node) + m beta_net for N
 *   nodes in a row, against (p - 1) (alpha + s beta) before the pipeline of chain.c is filled.
 * Restrictions: nodes are consecutive ranks; the last may be smaller. A root that is not in an end
 *   node receives from both sides.
 * Source: folklore. */
#include <limits.h>
#include <stdint.h>

#include "algorithm/estimate.h"
#include "algorithm/tree/pipe.h"

static void build(const struct summand__call *call, struct summand__schedule *schedule)
{
    struct summand__tree tree = summand__node_tree_of(call, SUMMAND__CHAIN, SUMMAND__KARY);
    summand__tree_build(call, &tree, schedule);
}

static struct summand__cost cost(const struct summand__call *call, bool depth)
{
    struct summand__tree tree = summand__node_tree_of(call, SUMMAND__CHAIN, SUMMAND__KARY);
    return summand__tree_cost(call, &tree, depth);
}

static double estimate(const struct summand__call *call, size_t element,
                       const struct summand__model *model)
{
    struct summand__tree tree = summand__node_tree_of(call, SUMMAND__CHAIN, SUMMAND__KARY);
    return summand__tree_estimate(call, element, model, &tree);
}

const struct summand__algorithm summand__node_chain = {
    .name = "node-chain",
    .description = "pipeline along the nodes, a k-ary tree inside each",
    .source = "folklore",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__NODE_SIZE] = {1, INT_MAX, 1},
               [SUMMAND__SEGMENT] = {1, SIZE_MAX, 0},
               [SUMMAND__RADIX] = {1, 64, 2}},
    .build = {[SUMMAND__COLL_REDUCE] = build,
              [SUMMAND__COLL_ALLREDUCE] = build,
              [SUMMAND__COLL_BCAST] = build},
    .cost = cost,
    .estimate = estimate,
};
