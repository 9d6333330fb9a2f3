/* SPDX-License-Identifier: BSD-3-Clause */
#include "shape/grouping.h"

#include <stdlib.h>
#include <string.h>

/* Groups under construction, appended one after another. */
struct cutting {
    int *first, groups;
};

static void finish(struct summand__grouping *grouping, const struct cutting *cutting, int ranks)
{
    int groups = cutting->groups;
    bool even = true;
    cutting->first[groups] = ranks;
    grouping->ranks = ranks;
    grouping->groups = groups;
    grouping->least = ranks;
    for (int g = 0; g < groups; g++) {
        int size = cutting->first[g + 1] - cutting->first[g];
        grouping->most = size > grouping->most ? size : grouping->most;
        grouping->least = size < grouping->least ? size : grouping->least;
    }
    for (int g = 0; g < groups - 1; g++)
        even = even && cutting->first[g + 1] - cutting->first[g] == grouping->most;
    grouping->first = even ? NULL : cutting->first;
}

/* Cuts ranks into runs of consecutive ranks of a node; `runs` counts those of each node. */
static void cut_runs(const int *node, int ranks, int *runs, struct cutting *cutting,
                     struct summand__grouping *grouping)
{
    grouping->sharing = 1;
    for (int r = 0; r < ranks; r++)
        if (!r || node[r] != node[r - 1]) {
            cutting->first[cutting->groups++] = r;
            if (++runs[node[r]] > grouping->sharing)
                grouping->sharing = runs[node[r]];
        }
    finish(grouping, cutting, ranks);
}

/* Cuts ranks into nodes, in the order of their first ranks. `at` and `next` have an element for
 * each name; `at` begins as 0. */
static void cut_nodes(const int *node, int ranks, int *at, int *member, int *place,
                      struct cutting *cutting, struct summand__grouping *grouping)
{
    int used = 0;
    for (int r = 0; r < ranks; r++)
        at[node[r]]++;
    for (int r = 0; r < ranks; r++) {
        int size = at[node[r]];
        if (size <= 0)
            continue;
        cutting->first[cutting->groups++] = used;
        at[node[r]] = -used; /* -0 for the first group: found again as 0 */
        used += size;
    }
    for (int r = 0; r < ranks; r++) {
        place[r] = -at[node[r]]--;
        member[place[r]] = r;
    }
    grouping->sharing = 1;
    grouping->member = member;
    grouping->place = place;
    finish(grouping, cutting, ranks);
}

bool summand__groupings_make(const int *node, int ranks, int names,
                             struct summand__groupings **made)
{
    size_t n = (size_t)ranks, numbers = 4 * n + 2;
    struct summand__groupings *both = calloc(1, sizeof *both + numbers * sizeof *both->memory);
    int *count = calloc((size_t)names, sizeof *count);
    *made = NULL;
    if (!both || !count) {
        free(both);
        free(count);
        return false;
    }
    struct cutting runs = {both->memory, 0}, nodes = {both->memory + n + 1, 0};
    cut_runs(node, ranks, count, &runs, &both->ordered);
    if (both->ordered.sharing == 1) {
        both->any = both->ordered;
    } else {
        memset(count, 0, (size_t)names * sizeof *count);
        cut_nodes(node, ranks, count, nodes.first + n + 1, nodes.first + 2 * n + 1, &nodes,
                  &both->any);
    }
    free(count);
    if (both->ordered.first || both->ordered.sharing > 1)
        *made = both;
    else
        free(both);
    return true;
}

const struct summand__grouping *summand__grouping_for(const struct summand__groupings *groupings,
                                                      bool ordered)
{
    if (!groupings)
        return NULL;
    return ordered ? &groupings->ordered : &groupings->any;
}

int summand__group_at(const struct summand__grouping *grouping, int place)
{
    int low = 0, high = grouping->groups;
    if (!grouping->first)
        return place / grouping->most;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        *(grouping->first[middle] <= place ? &low : &high) = middle;
    }
    return low;
}

int summand__group_first(const struct summand__grouping *grouping, int group)
{
    if (grouping->first)
        return grouping->first[group];
    return group < grouping->groups ? group * grouping->most : grouping->ranks;
}

int summand__group_size(const struct summand__grouping *grouping, int group)
{
    return summand__group_first(grouping, group + 1) - summand__group_first(grouping, group);
}
