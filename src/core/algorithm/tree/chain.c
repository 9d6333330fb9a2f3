/* SPDX-License-Identifier: BSD-3-Clause */
/* Chain, a pipeline along the ranks, any root.
 *
 * What: values flow from rank 0 up and from rank p - 1 down to the root, each rank combining its
 *   neighbour's operand with its own; all-reduce meets in the middle rank and flows back at once.
 * When: long vectors on few ranks.
 * Cost: reduce h (alpha + s (beta + gamma)) + (k - 1) s max(beta, gamma) with h = max(root, p - 1
 *   - root) and k segments of s, three of them under way (pipe.h); all-reduce with h = 2 floor(p
 *   / 2).
 * Restrictions: none. At a root in the middle two operands arrive at a time.
 * Source: folklore. */
#include <stdint.h>

#include "algorithm/hierarchical/parts.h"
#include "algorithm/tree/pipe.h"

const struct summand__algorithm summand__chain = {
    .name = "chain",
    .description = "pipeline along the ranks from both ends to the root",
    .source = "folklore",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__SEGMENT] = {1, SIZE_MAX, 0}},
    .build = {SUMMAND__VECTORS(summand__tree_build)},
    .cost = summand__tree_cost,
    .estimate = summand__tree_estimate,
    .sees_nodes = &summand__node_chain,
    .tree = {.shape = &summand__chain_shape},
};
