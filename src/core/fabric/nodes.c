/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/nodes.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool summand__node_map_make(struct summand__node_map *map, int ranks)
{
    *map = (struct summand__node_map){.ranks = ranks};
    map->leader = malloc((size_t)ranks * sizeof *map->leader);
    map->local = malloc((size_t)ranks * sizeof *map->local);
    return map->leader && map->local;
}

void summand__node_map_free(struct summand__node_map *map)
{
    free(map->leader);
    free(map->local);
    free(map->here);
    *map = (struct summand__node_map){.ranks = 0};
}

struct summand__neighbour summand__neighbour_now(int rank)
{
    struct summand__neighbour now = {.rank = rank};
    now.known = summand__affinity(now.affinity);
    return now;
}

bool summand__node_map_holds(const struct summand__node_map *map, int rank)
{
    const struct summand__neighbour *then = &map->here[map->local[rank]];
    struct summand__neighbour now = summand__neighbour_now(rank);
    return now.known == then->known && !memcmp(now.affinity, then->affinity, sizeof now.affinity);
}

static int leader_of(const struct summand__node_map *map, const struct summand__members *members,
                     int rank)
{
    return map->leader[summand__member(members, rank)];
}

static bool is_one_node(const struct summand__node_map *map, const struct summand__members *members)
{
    for (int i = 1; i < members->count; i++)
        if (leader_of(map, members, i) != leader_of(map, members, 0))
            return false;
    return true;
}

bool summand__nodes_find(const struct summand__node_map *map,
                         const struct summand__members *members, int *scratch,
                         struct summand__nodes *nodes, struct summand__groupings **made)
{
    int full = 1;
    *made = NULL;
    nodes->groupings = NULL;
    if (is_one_node(map, members)) {
        nodes->node_size = nodes->most = members->count;
        return true;
    }
    for (int i = 0; i < members->count; i++)
        scratch[i] = leader_of(map, members, i);
    if (!summand__groupings_make(scratch, members->count, map->ranks, made))
        return false;
    while (!*made && scratch[full] == scratch[0])
        full++;
    nodes->node_size = full;
    nodes->most = *made ? (*made)->any.most : full;
    nodes->groupings = *made;
    return true;
}

int summand__members_here(const struct summand__node_map *map,
                          const struct summand__members *members)
{
    int here = 0;
    for (int i = 0; i < members->count; i++)
        here += map->local[summand__member(members, i)] >= 0;
    return here;
}

bool summand__members_share(const struct summand__node_map *map,
                            const struct summand__members *members, int *scratch)
{
    memset(scratch, 0, (size_t)map->ranks * sizeof *scratch);
    for (int i = 0; i < members->count; i++)
        if (scratch[leader_of(map, members, i)]++)
            return true;
    return false;
}

bool summand__members_fit(const struct summand__node_map *map,
                          const struct summand__members *members, int node_size)
{
    for (int i = 0; i < members->count; i++)
        if ((map->local[summand__member(members, i)] >= 0) !=
            (i / node_size == members->rank / node_size))
            return false;
    return true;
}

/* Containers, batch systems and taskset allow fewer processors than the machine has; mpiexec binds
 * each rank to some of them. So this counts those that the members may use together. */
int summand__members_processors(const struct summand__node_map *map,
                                const struct summand__members *members, bool declared)
{
    uint64_t all[SUMMAND__AFFINITY_BYTES / 8] = {0}, one[SUMMAND__AFFINITY_BYTES / 8];
    int bits = 0;
    for (int i = 0; i < members->count && !declared; i++) {
        int local = map->local[summand__member(members, i)];
        if (local < 0)
            continue;
        if (!map->here[local].known)
            return summand__processors();
        memcpy(one, map->here[local].affinity, sizeof one);
        for (size_t w = 0; w < sizeof all / sizeof *all; w++)
            all[w] |= one[w];
    }
    for (size_t w = 0; w < sizeof all / sizeof *all; w++)
        bits += __builtin_popcountll(all[w]);
    return bits ? bits : summand__processors();
}
