/* SPDX-License-Identifier: BSD-3-Clause */
/* A chain of nodes with a k-ary tree inside each, any root.
 *
 * What: each node reduces to its leader, the leaders pass values along the nodes from both ends to
 *   the root; all-reduce meets in the middle node and flows back at once. It is one tree on two
 *   levels, so segments are in flight in all nodes at once and every network card carries the
 *   vector once.
 * When: long vectors on clusters: reduce and broadcast at the card's bandwidth.
 * Cost: reduce (N - 1) (alpha_net + s beta_net) + h (alpha_node + s beta_node) + m beta_net for N
 *   nodes in a row. To fill the pipeline of chain.c takes (p - 1) (alpha + s beta).
 * Restrictions: nodes of any sizes and order (regroup.h); if rank order matters, a run of
 *   consecutive ranks of a node counts as a node.
 *   A root that is not in an end node receives from both sides.
 * Source: folklore. */
#include <limits.h>
#include <stdint.h>

#include "algorithm/tree/pipe.h"

const struct summand__algorithm summand__node_chain = {
    .name = "node-chain",
    .description = "pipeline along the nodes, a k-ary tree inside each",
    .source = "folklore",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__NODE_SIZE] = {1, INT_MAX, 1},
               [SUMMAND__SEGMENT] = {1, SIZE_MAX, 0},
               [SUMMAND__RADIX] = {1, 64, 2}},
    .build = {SUMMAND__VECTORS(summand__tree_build)},
    .cost = summand__tree_cost,
    .estimate = summand__tree_estimate,
    .tree = {.shape = &summand__chain_shape, .inside = &summand__kary_shape},
};
