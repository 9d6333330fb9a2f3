/* SPDX-License-Identifier: BSD-3-Clause */
/* K-ary trees in rank order (post-order numbering), any root.
 *
 * What: a rank has up to `radix` children, whose subtrees are the next ranks in nearly equal
 *   parts. The child is the end of its part that is nearest to its parent, so traffic stays
 *   close.
 * When: short and middle messages; the shape inside a node and between nodes (node_trees.c).
 * Cost: reduce h (alpha + k m (beta + gamma)), h about log_k p; in segments h + segments - 1
 *   slots (pipe.h).
 * Restrictions: none.
 * Source: folklore. */
#include <stdint.h>

#include "algorithm/hierarchical/parts.h"
#include "algorithm/tree/pipe.h"

const struct summand__algorithm summand__kary = {
    .name = "k-ary",
    .description = "tree with radix children per rank; each subtree is led by its nearest rank",
    .source = "folklore",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__SEGMENT] = {1, SIZE_MAX, 0}, [SUMMAND__RADIX] = {1, 64, 4}},
    .build = {SUMMAND__VECTORS(summand__tree_build)},
    .cost = summand__tree_cost,
    .estimate = summand__tree_estimate,
    .sees_nodes = &summand__node_trees,
    .tree = {.shape = &summand__kary_shape},
};
