/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks on nodes of different sizes or in any order, as groups of ranks. Algorithms see places:
 * ranks sorted by group, so that a group is a run of places. */
#pragma once

#include <stdbool.h>

struct summand__grouping {
    int ranks, groups;
    int most, least;   /* ranks of the largest and of the smallest group */
    int sharing;       /* the most groups that are parts of one node and share its card */
    const int *first;  /* the places where groups begin, groups + 1 of them; NULL: all groups have
                          `most` ranks, the last one perhaps fewer */
    const int *member; /* the rank at each place; NULL: places are ranks */
    const int *place;  /* the place of each rank; NULL if `member` is */
};

/* Two ways to group the same ranks. */
struct summand__groupings {
    struct summand__grouping any; /* a node is a group: ranks change places */
    struct summand__grouping
        ordered; /* a group is a run of consecutive ranks of a node: rank order stays */
    int memory[];
};

/* `node[rank]` names the rank's node by a number in [0, names). `*made` is NULL if all nodes are
 * runs of consecutive ranks of one size, except that the last may be smaller. Otherwise the caller
 * frees it. False when out of memory. */
bool summand__groupings_make(const int *node, int ranks, int names,
                             struct summand__groupings **made);

/* The grouping for operands that may change places, or for those that must stay in rank order. NULL
 * for NULL. */
const struct summand__grouping *summand__grouping_for(const struct summand__groupings *groupings,
                                                      bool ordered);

/* The group of a place; the first place of a group, for 0 to `groups`; the ranks of a group. Cost:
 * O(log groups) for the first. */
int summand__group_at(const struct summand__grouping *grouping, int place);
int summand__group_first(const struct summand__grouping *grouping, int group);
int summand__group_size(const struct summand__grouping *grouping, int group);
