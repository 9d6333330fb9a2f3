/* SPDX-License-Identifier: BSD-3-Clause */
/* Postal trees on two levels, any root.
 *
 * What: a rank has as many subtrees as can arrive one after another by its end time, the last one
 *   the largest. A message takes `radix` times as long to arrive as to be received (inside a node;
 *   `between` times between nodes). Radix 1 would be the binomial tree.
 * When: short messages: the best trees known to us if only a rank's time per message and the
 *   latency count.
 * Cost: reduce (t_node o + t_net o) for messages taken in after o each, with t the least number for
 *   which f(t) reaches the number of ranks: f(t) = f(t - 1) + f(t - radix).
 * Restrictions: nodes of any sizes and order (regroup.h); where rank order counts, a run of
 *   consecutive ranks of a node counts as a node. A rank keeps all of its operands in
 *   scratch at once.
 * Source: Bar-Noy, Kipnis, Designing broadcasting algorithms in the postal model for
 *   message-passing systems (1992); in rank order, for any sizes and on two levels: ours. */
#include <limits.h>

#include "algorithm/tree/pipe.h"

const struct summand__algorithm summand__postal = {
    .name = "postal",
    .description = "tree of the postal model, which fits its shape to the latency; inside nodes "
                   "and between leaders",
    .source = "Bar-Noy, Kipnis (1992)",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__NODE_SIZE] = {1, INT_MAX, 1},
               [SUMMAND__RADIX] = {1, 64, 4},
               [SUMMAND__INTER_NODE_RADIX] = {1, 64, 8}},
    .build = {SUMMAND__VECTORS(summand__tree_build)},
    .cost = summand__tree_cost,
    .estimate = summand__tree_estimate,
    .tree = {.shape = &summand__postal_shape, .inside = &summand__postal_shape},
};
