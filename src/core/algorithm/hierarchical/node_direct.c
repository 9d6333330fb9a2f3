/* SPDX-License-Identifier: BSD-3-Clause */
/* Several leaders per node over direct exchange inside nodes.
 *
 * What: as node_leaders.c, but inside nodes every rank sends each leader its part at once, and each
 *   leader sends the result to all others. Blocks as in node_rabenseifner.c.
 * When: middle and long vectors, if a node moves its messages in parallel.
 * Cost: as node_leaders.c with 2 (alpha_node + q o) + 2 m beta_node inside nodes of q ranks, for o
 *   of processor time per message.
 * Restrictions: nodes of any sizes and order (regroup.h); if rank order matters, a run of
 *   consecutive ranks of a node counts as a node.
 *   A group has at most as many shares as the smallest group has nodes. Blocks: at most as many
 *   leaders as the smallest node has ranks; they cost one copy of the vector.
 * Source: composition of direct.c, groups.c and rabenseifner.c. */
#include <limits.h>

#include "algorithm/hierarchical/multi_leader.h"
#include "algorithm/hierarchical/parts.h"

const struct summand__algorithm summand__node_direct = {
    .name = "node-direct",
    .description =
        "several leaders per node; direct exchange inside nodes, between nodes as node-leaders",
    .source = "composition",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__NODE_SIZE] = {1, INT_MAX, 1},
               [SUMMAND__RADIX] = {1, 1024, 1},
               [SUMMAND__LEADERS] = {1, 1024, 16},
               [SUMMAND__INTER_NODE_RADIX] = {2, 64, 3}},
    .build = {[SUMMAND__COLL_REDUCE] = summand__leaders_build,
              [SUMMAND__COLL_ALLREDUCE] = summand__leaders_build,
              SUMMAND__BLOCKS(summand__leader_blocks_build)},
    .cost = summand__leaders_cost,
    .estimate = summand__leaders_estimate,
    .composition = {.inside = &summand__direct,
                    .inside_time = summand__direct_time,
                    .blocks_by_halves = true,
                    .between = {[SUMMAND__COLL_REDUCE] = &summand__groups,
                                [SUMMAND__COLL_ALLREDUCE] = &summand__groups,
                                [SUMMAND__COLL_REDUCE_SCATTER] = &summand__rabenseifner,
                                [SUMMAND__COLL_ALLGATHERV] = &summand__rabenseifner}},
};
