/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks on nodes that are not runs of one size: groups of ranks of any sizes and in any order.
 * Algorithms see places: ranks sorted by group, so that a group is a run of places.
 */
#ifndef SUMMAND_SHAPE_GROUPING_H
#define SUMMAND_SHAPE_GROUPING_H

#include <stdbool.h>

struct summand__grouping {
    int ranks, groups;
    int most, least;  /* ranks of the largest group, and of the smallest one */
    int sharing;      /* groups that are parts of one node at most: they share its card */
    const int *first; /* groups + 1 places, where the groups begin; NULL: all have `most` ranks, the
                         last one perhaps fewer */
    const int *member; /* by place: the rank there; NULL: places are ranks */
    const int *place;  /* by rank: its place; NULL if `member` is */
};

/* Two ways to group the same ranks. */
struct summand__groupings {
    struct summand__grouping any; /* a node is a group: ranks change places */
    struct summand__grouping
        ordered; /* a group is a run of consecutive ranks of a node: rank order stays */
    int memory[];
};

/* `node[rank]` names the rank's node by a number in [0, names). `*made` is NULL if all nodes are
 * runs of consecutive ranks of one size, the last one perhaps smaller, and is to be freed else.
 * False when out of memory. */
bool summand__groupings_make(const int *node, int ranks, int names,
                             struct summand__groupings **made);

/* That for operands which may change places, or for those which must stay in the order of ranks.
 * NULL for NULL. */
const struct summand__grouping *summand__grouping_for(const struct summand__groupings *groupings,
                                                      bool ordered);

/* The group of a place; where it begins, for 0 to `groups`; its ranks. Cost: O(log groups) for the
 * first. */
int summand__group_at(const struct summand__grouping *grouping, int place);
int summand__group_first(const struct summand__grouping *grouping, int group);
int summand__group_size(const struct summand__grouping *grouping, int group);

#endif
