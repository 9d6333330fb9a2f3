/* SPDX-License-Identifier: BSD-3-Clause */
/* Fibonacci trees in rank order, any root.
 *
 * What: a rank has two children; the farther subtree has as many ranks as can be reduced in one
 *   round more than the nearer, so the two operands arrive in turn and no rank waits for its
 *   port. T rounds reach F(T) = 1 + F(T-1) + F(T-2) ranks: 1, 2, 4, 7, 12, 20, ...
 * When: short messages where a rank receives one message at a time and degree is bounded. It is
 *   the optimal tree of the postal model with latency lambda = 2.
 * Cost: reduce T (alpha + m (beta + gamma)), T the least with F(T) >= p, about 1.44 log2 p, for a
 *   root at an end; a root inside has one child on each side.
 * Restrictions: none.
 * Source: Winklehner, Friedl, Reduction trees for MPI Reductions (2016); Bar-Noy, Kipnis,
 *   Designing broadcasting algorithms in the postal model (1994). */
#include <stdint.h>

#include "algorithm/hierarchical/parts.h"
#include "algorithm/tree/pipe.h"

const struct summand__algorithm summand__fibonacci = {
    .name = "fibonacci",
    .description = "Fibonacci tree: the second child is one round behind the first",
    .source = "Winklehner, Friedl (2016); Bar-Noy, Kipnis (1994)",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__SEGMENT] = {1, SIZE_MAX, 0}},
    .build = {SUMMAND__VECTORS(summand__tree_build)},
    .cost = summand__tree_cost,
    .estimate = summand__tree_estimate,
    .sees_nodes = &summand__node_trees,
    .tree = {.shape = &summand__fibonacci_shape},
};
