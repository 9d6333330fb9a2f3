/* SPDX-License-Identifier: BSD-3-Clause */
/* Several leaders per node; their parts are sent unsplit between groups of nodes.
 *
 * What: reduce-scatter inside each node to its leaders by vector halving; `radix` neighbouring
 *   nodes share each leader's part in the same way (groups.c; 1: they do not). Opposites of these
 *   groups use k-ary trees, or recursive multiplying for all-reduce, of radix `between`. Then
 *   all-gather in groups and nodes. A reduce's root collects its node's parts; in a broadcast its
 *   node gets the whole vector first.
 * When: messages of some KiB: too short to be split further between all nodes as in
 *   node_rabenseifner.c, too long for every rank of a node to send the whole vector.
 * Cost: all-reduce 2 log2 q alpha_node + 2 m beta_node + 2 log2 g alpha_net + 2 m beta_net +
 *   ceil(log_b N/g) (alpha_net + (b-1) m/g beta_net) for N nodes of q ranks in groups of g.
 * Restrictions: nodes of any sizes and order (regroup.h); if rank order matters, a run of
 *   consecutive ranks of a node counts as a node.
 *   A group has at most as many shares as the smallest group has nodes.
 * Source: composition of rabenseifner.c, kary.c and recursive_multiplying.c; several leaders as in
 *   node_rabenseifner.c. */
#include <limits.h>

#include "algorithm/hierarchical/multi_leader.h"
#include "algorithm/hierarchical/parts.h"

const struct summand__algorithm summand__node_leaders = {
    .name = "node-leaders",
    .description = "several leaders per node; each reduces or exchanges its whole part",
    .source = "composition",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__NODE_SIZE] = {1, INT_MAX, 1},
               [SUMMAND__RADIX] = {1, 1024, 1},
               [SUMMAND__LEADERS] = {1, 1024, 16},
               [SUMMAND__INTER_NODE_RADIX] = {2, 64, 3}},
    .build = {SUMMAND__VECTORS(summand__leaders_build)},
    .cost = summand__leaders_cost,
    .estimate = summand__leaders_estimate,
    .composition = {.inside = &summand__rabenseifner,
                    .inside_time = summand__merge_time,
                    .between = {[SUMMAND__COLL_REDUCE] = &summand__groups,
                                [SUMMAND__COLL_ALLREDUCE] = &summand__groups,
                                [SUMMAND__COLL_BCAST] = &summand__groups}},
    .single_node_equivalent = {[SUMMAND__COLL_REDUCE] = &summand__node_rabenseifner,
                               [SUMMAND__COLL_BCAST] = &summand__rabenseifner,
                               [SUMMAND__COLL_ALLREDUCE] = &summand__node_rabenseifner},
};
