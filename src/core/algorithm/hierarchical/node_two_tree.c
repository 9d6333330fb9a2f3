/* SPDX-License-Identifier: BSD-3-Clause */
/* Two binary trees between the leaders of nodes, a k-ary tree inside each node, any root.
 *
 * What: the two trees of two_tree.c over nodes instead of ranks; both share each node's tree, below
 *   its leader. Segments flow through both levels at once; every network card carries about one
 *   vector in and one out.
 * When: middle and long vectors on clusters of many nodes: fills its pipeline in log2 N hops
 *   between nodes; node_chain.c needs N - 1.
 * Cost: reduce m beta_net + (log2 N (alpha_net + 2 s beta_net) + h (alpha_node + 2 s beta_node)).
 * Restrictions: nodes of any sizes and order (regroup.h); if rank order matters, a run of
 *   consecutive ranks of a node counts as a node.
 *   A root that is not in an end node has two trees on each side and receives 2 m.
 * Source: Sanders, Speck, Traeff (2009); on two levels: composition. */
#include <limits.h>
#include <stdint.h>

#include "algorithm/tree/double_tree.h"

const struct summand__algorithm summand__node_two_tree = {
    .name = "node-two-tree",
    .description =
        "two binary trees between nodes, each for half of the vector; a tree inside each node",
    .source = "Sanders, Speck, Traeff (2009)",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__NODE_SIZE] = {1, INT_MAX, 1},
               [SUMMAND__SEGMENT] = {1, SIZE_MAX, 0},
               [SUMMAND__RADIX] = {1, 64, 2}},
    .build = {SUMMAND__VECTORS(summand__double_tree_build)},
    .cost = summand__double_tree_cost,
    .estimate = summand__double_tree_estimate,
    .tree = {.shape = &summand__first_tree_shape,
             .second = &summand__second_tree_shape,
             .inside = &summand__kary_shape},
};
