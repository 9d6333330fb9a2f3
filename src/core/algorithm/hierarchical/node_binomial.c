/* SPDX-License-Identifier: BSD-3-Clause */
/* Two levels for short messages: binomial trees inside nodes, binomial trees or recursive doubling
 * between their leaders.
 *
 * What: the ranks of a node reduce to its leader, the leaders reduce or all-reduce, and broadcast
 *   in their nodes.
 * When: short messages on clusters whose network is slower than a node's memory.
 * Cost: reduce (ceil(log2 k) alpha_node + ceil(log2 p/k) alpha_net); all-reduce adds
 *   the broadcast.
 * Restrictions: nodes of any sizes and order (regroup.h); if rank order matters, a run of
 *   consecutive ranks of a node counts as a node.
 * Source: composition of binomial.c and recursive_doubling.c. */
#include <limits.h>

#include "algorithm/hierarchical/node.h"
#include "algorithm/hierarchical/parts.h"

const struct summand__algorithm summand__node_binomial = {
    .name = "node-binomial",
    .description = "binomial trees inside nodes and between their leaders",
    .source = "composition",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__NODE_SIZE] = {1, INT_MAX, 1}},
    .build = {SUMMAND__VECTORS(summand__node_build)},
    .cost = summand__node_cost,
    .estimate = summand__node_estimate,
    .composition = {.inside = &summand__binomial,
                    .between = {[SUMMAND__COLL_REDUCE] = &summand__binomial,
                                [SUMMAND__COLL_BCAST] = &summand__binomial,
                                [SUMMAND__COLL_ALLREDUCE] = &summand__recursive_doubling}},
};
