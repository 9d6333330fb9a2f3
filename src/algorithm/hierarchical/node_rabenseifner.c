/* Several leaders per node, in rank order, by vector halving on both levels. All collectives.
 *
 * What: reduce-scatter inside each node to its leaders, the call's collective for each leader's
 * part with its opposites on other nodes, all-gather inside each node; all by rabenseifner.c. A
 *   reduce's root collects its node's parts; in a broadcast its node gets the whole vector first.
 *   Where blocks belong to ranks, the vector is first put into the order of parts: a leader's part
 *   is the blocks of those who stand behind it on all nodes.
 * When: long vectors on clusters; every leader keeps the network busy, every card carries each byte
 *   once in a reduce-scatter or all-gather, twice in an all-reduce.
 * Cost: all-reduce 2 m beta_node + 2 m beta_net, 2 log2 q alpha_node + 2 log2 N alpha_net for N
 *   nodes of q ranks, of which `leaders` share the latter.
 * Restrictions: nodes are consecutive ranks; not more leaders than the smallest node has ranks.
 *   Blocks cost one copy of the vector.
 * Source: composition; several leaders: Bayatpour et al., Scalable reduction collectives with data
 *   partitioning-based multi-leader design (2017). */
#include <limits.h>

#include "algorithm/estimate.h"
#include "algorithm/hierarchical/multi_leader.h"
#include "algorithm/hierarchical/parts.h"

static const struct summand__multi_leader multi_leader = {
    .inside = &summand__rabenseifner,
    .inside_time = summand__merge_time,
    .between = {[SUMMAND__COLL_REDUCE] = &summand__rabenseifner,
                [SUMMAND__COLL_ALLREDUCE] = &summand__rabenseifner,
                [SUMMAND__COLL_BCAST] = &summand__rabenseifner,
                [SUMMAND__COLL_REDUCE_SCATTER] = &summand__rabenseifner,
                [SUMMAND__COLL_ALLGATHERV] = &summand__rabenseifner}};

static void build(const struct summand__call *call, struct summand__schedule *schedule)
{
    summand__leaders_build(call, &multi_leader, schedule);
}

static struct summand__cost cost(const struct summand__call *call, bool depth)
{
    return summand__leaders_cost(call, &multi_leader, depth);
}

static double estimate(const struct summand__call *call, size_t element,
                       const struct summand__model *model)
{
    return summand__leaders_estimate(call, element, model, &multi_leader);
}

const struct summand__algorithm summand__node_rabenseifner = {
    .name = "node-rabenseifner",
    .description = "several leaders per node, each with its part by vector halving, in rank order",
    .source = "composition",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__NODE_SIZE] = {1, INT_MAX, 1}, [SUMMAND__LEADERS] = {1, 1024, 16}},
    .build = {[SUMMAND__COLL_REDUCE] = build,
              [SUMMAND__COLL_BCAST] = build,
              [SUMMAND__COLL_REDUCE_SCATTER_BLOCK] = build,
              [SUMMAND__COLL_REDUCE_SCATTER] = build,
              [SUMMAND__COLL_ALLGATHER] = build,
              [SUMMAND__COLL_ALLGATHERV] = build,
              [SUMMAND__COLL_ALLREDUCE] = build},
    .cost = cost,
    .estimate = estimate,
    .single_node_equivalent = {[SUMMAND__COLL_BCAST] = &summand__rabenseifner},
};
