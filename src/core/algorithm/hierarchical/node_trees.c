/* SPDX-License-Identifier: BSD-3-Clause */
/* K-ary trees on two levels, `radix` inside nodes and `between` between their leaders, any root.
 *
 * What: one rank of each node leads it: the root, else the end nearest to its parent. The leaders
 *   form a k-ary tree in post-order; the ranks of a node form another below their leader. Both
 *   are one tree: a leader receives from its node and from other nodes together, and segments
 *   flow through both levels at once.
 * When: short and middle messages on clusters. Short ones favour wide trees, wider between nodes
 *   because latency is higher there: 3 and 6. Longer ones favour narrow trees: a leader's card
 *   receives `between` operands.
 * Cost: reduce h_node + h_net rounds, h about log_k; with segments, segments - 1 slots more
 *   (pipe.h).
 * Restrictions: nodes of any sizes and order (regroup.h); if rank order matters, a run of
 *   consecutive ranks of a node counts as a node.
 * Source: folklore; two levels: Karonis et al., Exploiting hierarchy in parallel computer
 *   networks to optimize collective operation performance (2000). */
#include <limits.h>
#include <stdint.h>

#include "algorithm/tree/pipe.h"

const struct summand__algorithm summand__node_trees = {
    .name = "node-trees",
    .description = "a k-ary tree inside each node, and one between their leaders",
    .source = "folklore; Karonis et al. (2000)",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__NODE_SIZE] = {1, INT_MAX, 1},
               [SUMMAND__SEGMENT] = {1, SIZE_MAX, 0},
               [SUMMAND__RADIX] = {1, 64, 3},
               [SUMMAND__INTER_NODE_RADIX] = {1, 64, 6}},
    .build = {SUMMAND__VECTORS(summand__tree_build)},
    .cost = summand__tree_cost,
    .estimate = summand__tree_estimate,
    .tree = {.shape = &summand__kary_shape, .inside = &summand__kary_shape},
};
