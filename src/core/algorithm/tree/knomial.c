/* SPDX-License-Identifier: BSD-3-Clause */
/* K-nomial trees in rank order, any root.
 *
 * What: every range of ranks is cut into `radix` nearly equal parts; each is reduced to one rank,
 *   and the rank of the part with the root receives the other radix - 1 operands together.
 * When: short messages if a rank can receive several messages at a time (several ports, shared
 *   memory).
 * Cost: reduce ceil(log_k p) (alpha + (k-1) m (beta + gamma)).
 * Restrictions: scratch of 2 (radix - 1) vectors.
 * Source: folklore. */
#include <stdint.h>

#include "algorithm/hierarchical/parts.h"
#include "algorithm/tree/pipe.h"

const struct summand__algorithm summand__knomial = {
    .name = "k-nomial",
    .description = "k-nomial tree in rank order, radix - 1 operands at a time",
    .source = "folklore",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__SEGMENT] = {1, SIZE_MAX, 0}, [SUMMAND__RADIX] = {2, 64, 4}},
    .build = {SUMMAND__VECTORS(summand__tree_build)},
    .cost = summand__tree_cost,
    .estimate = summand__tree_estimate,
    .sees_nodes = &summand__node_trees,
    .tree = {.shape = &summand__knomial_shape},
};
