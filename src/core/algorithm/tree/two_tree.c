/* SPDX-License-Identifier: BSD-3-Clause */
/* Two binary trees at once, each for half of the vector, any root.
 *
 * What: in an in-order binary tree every other rank is a leaf. A second tree, numbered one
 *   further, makes those ranks its inner nodes. Half of the vector flows through each, in
 *   segments, so every rank sends and receives all the time; one tree alone leaves half of the
 *   ranks' ports idle.
 * When: long vectors.
 * Cost: reduce (h + k - 1) slots (pipe.h) of two segments in and two out, h about log2 p, k
 *   segments in half of the vector: m beta + 2 h s beta + (h + k / 3) alpha for a root at an end.
 *   All-reduce goes up and down at once.
 * Restrictions: none. Operands stay in rank order; a root that is not an end has two trees on
 *   each side and receives 2 m.
 * Source: Sanders, Speck, Traeff, Two-tree algorithms for full bandwidth broadcast, reduction and
 *   scan (2009); the numbering with a leaf left out is ours. */
#include <stdint.h>

#include "algorithm/tree/double_tree.h"

const struct summand__algorithm summand__two_tree = {
    .name = "two-tree",
    .description =
        "two binary trees, each for half of the vector; leaves of one are inner ranks of the other",
    .source = "Sanders, Speck, Traeff (2009)",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__SEGMENT] = {1, SIZE_MAX, 0}},
    .build = {SUMMAND__VECTORS(summand__double_tree_build)},
    .cost = summand__double_tree_cost,
    .estimate = summand__double_tree_estimate,
    .tree = {.shape = &summand__first_tree_shape, .second = &summand__second_tree_shape},
};
