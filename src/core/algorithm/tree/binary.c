/* SPDX-License-Identifier: BSD-3-Clause */
/* Complete binary tree in rank order (post-order numbering), any root.
 *
 * What: the tree of the 2016 report: the children of a rank halve the ranks below it. In its
 *   general form here for any root, in place and in segments, both children's operands arriving
 *   together.
 * When: middle messages, non-commutative operators.
 * Cost: reduce floor(log2 p) (alpha + 2 m (beta + gamma)); in segments floor(log2 p) + k - 1
 *   slots of two segments in and one out (pipe.h).
 * Restrictions: none. A root that is not an end has one child on each side: one level more.
 * Source: folklore; Winklehner, Friedl, Reduction trees for MPI Reductions (2016). */
#include <stdint.h>

#include "algorithm/hierarchical/parts.h"
#include "algorithm/tree/pipe.h"

const struct summand__algorithm summand__binary = {
    .name = "binary",
    .description = "complete binary tree in post-order",
    .source = "folklore; Winklehner, Friedl (2016)",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__SEGMENT] = {1, SIZE_MAX, 0}, [SUMMAND__RADIX] = {0, 0, 2}},
    .build = {SUMMAND__VECTORS(summand__tree_build)},
    .cost = summand__tree_cost,
    .estimate = summand__tree_estimate,
    .sees_nodes = &summand__node_trees,
    .tree = {.shape = &summand__kary_shape},
};
