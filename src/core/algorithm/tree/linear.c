/* SPDX-License-Identifier: BSD-3-Clause */
/* Linear (flat) reduction, any root.
 *
 * What: all ranks send to the root, which receives `radix` operands at a time, from its
 *   neighbours outwards, and combines them in rank order.
 * When: two or three ranks; one node.
 * Cost: reduce (p-1)(alpha + m beta + m gamma), in ceil((p-1) / radix) rounds; in segments all
 *   ranks send together, k rounds.
 * Restrictions: scratch of 2 radix vectors, in segments of p - 1 segments, at the root.
 * Source: folklore. */
#include <stdint.h>

#include "algorithm/tree/pipe.h"

const struct summand__algorithm summand__linear = {
    .name = "linear",
    .description = "every rank sends to the root, which receives a few at a time",
    .source = "folklore",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__SEGMENT] = {1, SIZE_MAX, 0}, [SUMMAND__RADIX] = {1, 1024, 1}},
    .build = {SUMMAND__VECTORS(summand__tree_build)},
    .cost = summand__tree_cost,
    .estimate = summand__tree_estimate,
    .tree = {.shape = &summand__linear_shape},
};
