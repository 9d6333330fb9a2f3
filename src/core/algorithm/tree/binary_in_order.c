/* SPDX-License-Identifier: BSD-3-Clause */
/* Binary tree numbered in order, any root.
 *
 * What: a rank has one child on each side; its subtree's ranks lie around it. All-reduce meets in
 *   the middle.
 * When: middle messages, non-commutative operators, roots in the middle.
 * Cost: reduce h (alpha + 2 m (beta + gamma)), h <= floor(log2 p) + 1; in segments h + k - 1
 *   slots (pipe.h).
 * Restrictions: none.
 * Source: folklore (in-order binary of Open MPI). */
#include <stdint.h>

#include "algorithm/hierarchical/parts.h"
#include "algorithm/tree/pipe.h"

const struct summand__algorithm summand__binary_in_order = {
    .name = "binary-in-order",
    .description = "binary tree whose ranks lie between their subtrees",
    .source = "folklore",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__SEGMENT] = {1, SIZE_MAX, 0}},
    .build = {SUMMAND__VECTORS(summand__tree_build)},
    .cost = summand__tree_cost,
    .estimate = summand__tree_estimate,
    .sees_nodes = &summand__node_two_tree,
    .tree = {.shape = &summand__in_order_shape},
};
