/* SPDX-License-Identifier: BSD-3-Clause */
/* Several leaders per node, in rank order, by vector halving on both levels. All collectives.
 *
 * What: reduce-scatter inside each node to its leaders, the call's collective for each leader's
 * part with its opposites on other nodes, all-gather inside each node; all by rabenseifner.c. A
 *   reduce's root collects its node's parts; in a broadcast its node gets the whole vector first.
 *   If blocks belong to ranks, the vector is first put into the order of parts: a leader's part has
 *   the blocks of its group on all nodes.
 * When: long vectors on clusters; every leader keeps the network busy, every card carries each byte
 *   once in a reduce-scatter or all-gather, twice in an all-reduce.
 * Cost: all-reduce 2 m beta_node + 2 m beta_net, 2 log2 q alpha_node + 2 log2 N alpha_net for N
 *   nodes of q ranks, of which `leaders` share the latter.
 * Restrictions: nodes of any sizes and order (regroup.h); if rank order matters, a run of
 *   consecutive ranks of a node counts as a node.
 *   Blocks: at most as many leaders as the smallest node has ranks; they cost one copy of the
 *   vector.
 * Source: composition; several leaders: Bayatpour et al., Scalable reduction collectives with data
 *   partitioning-based multi-leader design (2017). */
#include <limits.h>

#include "algorithm/hierarchical/multi_leader.h"
#include "algorithm/hierarchical/parts.h"

const struct summand__algorithm summand__node_rabenseifner = {
    .name = "node-rabenseifner",
    .description =
        "several leaders per node; each reduces its part by vector halving, in rank order",
    .source = "composition",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__NODE_SIZE] = {1, INT_MAX, 1}, [SUMMAND__LEADERS] = {1, 1024, 16}},
    .build = {SUMMAND__VECTORS(summand__leaders_build),
              SUMMAND__BLOCKS(summand__leader_blocks_build)},
    .cost = summand__leaders_cost,
    .estimate = summand__leaders_estimate,
    .composition = {.inside = &summand__rabenseifner,
                    .inside_time = summand__merge_time,
                    .blocks_by_halves = true,
                    .between = {[SUMMAND__COLL_REDUCE] = &summand__rabenseifner,
                                [SUMMAND__COLL_ALLREDUCE] = &summand__rabenseifner,
                                [SUMMAND__COLL_BCAST] = &summand__rabenseifner,
                                [SUMMAND__COLL_REDUCE_SCATTER] = &summand__rabenseifner,
                                [SUMMAND__COLL_ALLGATHERV] = &summand__rabenseifner}},
    .single_node_equivalent = {[SUMMAND__COLL_BCAST] = &summand__rabenseifner},
};
