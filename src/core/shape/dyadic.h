/* SPDX-License-Identifier: BSD-3-Clause */
/* The maximal aligned dyadic subtrees of a range of leaves of the index tree.
 *
 * A subtree of level l covers 2^l leaves that start at a multiple of 2^l. The range
 * [start, start + count) is covered from left to right by the fewest such subtrees; their levels
 * rise, then fall. Cost: O(1) per subtree, no tables. */
#pragma once

#include <stdint.h>

enum {
    /* the most subtrees of any range: 63 that rise to the middle and 63 that fall from it */
    SUMMAND__DYADIC_MAX = 126
};

struct summand__dyadic_node {
    uint64_t position; /* of the first leaf */
    unsigned level;
};

/* The level of the largest aligned subtree that starts at `position` and ends at or before `end`.
 * position < end. */
static inline unsigned summand__dyadic_level(uint64_t position, uint64_t end)
{
    unsigned fits = 63u - (unsigned)__builtin_clzll(end - position);
    unsigned aligned = position ? (unsigned)__builtin_ctzll(position) : 63u;
    return aligned < fits ? aligned : fits;
}

/* The number of subtrees that cover [start, start + count). start + count must not exceed 2^63. */
unsigned summand__dyadic_count(uint64_t start, uint64_t count);

/* The subtrees of [start, start + count) from left to right. `nodes` must have room for
 * SUMMAND__DYADIC_MAX. Returns their number. */
unsigned summand__dyadic_nodes(uint64_t start, uint64_t count, struct summand__dyadic_node *nodes);
