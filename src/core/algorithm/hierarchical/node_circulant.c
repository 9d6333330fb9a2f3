/* SPDX-License-Identifier: BSD-3-Clause */
/* Several leaders per node over the circulant graph.
 *
 * What: reduce-scatter inside each node to its leaders, all-reduce, reduce-scatter or all-gather of
 *   each leader's part with its opposites over the circulant graph, all-gather inside each node.
 *   Blocks as in node_rabenseifner.c.
 * When: middle and long vectors on clusters of any number of nodes.
 * Cost: all-reduce 2 m beta_node + 2 m beta_net, 2 log2 q alpha_node + 2 ceil(log2 N) alpha_net for
 *   N nodes of q ranks.
 * Restrictions: commutative operators; nodes of any sizes and order (regroup.h). Blocks: at most
 *   as many leaders as the smallest node has ranks; they cost one copy of the vector.
 * Source: composition of rabenseifner.c and circulant.c. */
#include <limits.h>

#include "algorithm/hierarchical/multi_leader.h"
#include "algorithm/hierarchical/parts.h"

const struct summand__algorithm summand__node_circulant = {
    .name = "node-circulant",
    .description = "several leaders per node; each reduces its part over the circulant graph",
    .source = "composition",
    .promises = SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__NODE_SIZE] = {1, INT_MAX, 1}, [SUMMAND__LEADERS] = {1, 1024, 16}},
    .build = {[SUMMAND__COLL_ALLREDUCE] = summand__leaders_build,
              SUMMAND__BLOCKS(summand__leader_blocks_build)},
    .cost = summand__leaders_cost,
    .estimate = summand__leaders_estimate,
    .composition = {.inside = &summand__rabenseifner,
                    .inside_time = summand__merge_time,
                    .between = {[SUMMAND__COLL_ALLREDUCE] = &summand__circulant_graph,
                                [SUMMAND__COLL_REDUCE_SCATTER] = &summand__circulant_graph,
                                [SUMMAND__COLL_ALLGATHERV] = &summand__circulant_graph}},
    .single_node_equivalent = {[SUMMAND__COLL_ALLREDUCE] = &summand__node_rabenseifner,
                               [SUMMAND__COLL_REDUCE_SCATTER_BLOCK] = &summand__node_rabenseifner,
                               [SUMMAND__COLL_REDUCE_SCATTER] = &summand__node_rabenseifner,
                               [SUMMAND__COLL_ALLGATHER] = &summand__node_rabenseifner,
                               [SUMMAND__COLL_ALLGATHERV] = &summand__node_rabenseifner},
};
