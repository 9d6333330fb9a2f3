/* SPDX-License-Identifier: BSD-3-Clause */
/* Binomial trees in rank order, any root, any rank count.
 *
 * What: every range of ranks is halved; each half is reduced to one of its ranks (the root if it
 *   contains it, else its lowest), and the other half's rank sends to it. For powers of two and
 *   root 0 this is the classic binomial tree; for other roots the tree is re-rooted, not the ranks
 *   rotated, so operands stay in rank order and nothing is forwarded at the end.
 * When: short messages.
 * Cost: reduce ceil(log2 p) (alpha + m beta + m gamma); p - 1 messages of m.
 * Restrictions: none. In segments the root receives log2 p operands at a time.
 * Source: folklore; the halving that keeps order for any p: shape/halving.h. */
#include <stdint.h>

#include "algorithm/tree/pipe.h"

const struct summand__algorithm summand__binomial = {
    .name = "binomial",
    .description = "binomial tree in rank order, re-rooted for any root",
    .source = "folklore; halving for any rank count",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS | SUMMAND__CANONICAL,
    .limits = {[SUMMAND__SEGMENT] = {1, SIZE_MAX, 0}},
    .build = {SUMMAND__VECTORS(summand__tree_build)},
    .cost = summand__tree_cost,
    .estimate = summand__tree_estimate,
    .tree = {.shape = &summand__binomial_shape},
};
