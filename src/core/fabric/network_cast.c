/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/network_fit.h"

/* The first rank of a node, by the node's index. */
static int first_of(const struct summand__node_map *map, int node)
{
    for (int r = 0; r < map->ranks; r++)
        if (map->leader[r] == r && node-- == 0)
            return r;
    return -1;
}

static int second_of(const struct summand__node_map *map, int first)
{
    for (int r = first + 1; r < map->ranks; r++)
        if (map->leader[r] == first)
            return r;
    return -1;
}

/* Chooses the first node besides rank 0's that has a second rank; else the first other one. */
static void cast_peer(const struct summand__node_map *map, struct summand__network_roles *roles)
{
    roles->peer = roles->partner = -1;
    for (int r = 1; r < map->ranks; r++) {
        int first = map->leader[r];
        if (first == 0)
            continue;
        if (roles->peer < 0)
            roles->peer = first;
        if (first != r) {
            roles->peer = first;
            roles->partner = second_of(map, first);
            return;
        }
    }
}

static void cast_looks(const struct summand__node_map *map, struct summand__network_roles *roles)
{
    for (int r = 0, node = 0; r < map->ranks; r++) {
        if (map->leader[r] != r)
            continue;
        if (node < SUMMAND__NETWORK_LOOKS - 1 || node == roles->nodes - 1)
            roles->look[roles->looks++] = r;
        node++;
    }
}

void summand__network_cast(const struct summand__node_map *map, int rank,
                           struct summand__network_roles *roles)
{
    int node = -1;
    *roles = (struct summand__network_roles){.rank = rank, .across = -1};
    for (int r = 0; r < map->ranks; r++) {
        if (map->leader[r] != r)
            continue;
        node = r == rank ? roles->nodes : node;
        roles->nodes++;
    }
    roles->helper = second_of(map, 0);
    cast_peer(map, roles);
    cast_looks(map, roles);
    if (roles->nodes < 2) {
        roles->peer = roles->helper;
        roles->helper = -1;
    }
    int half = roles->nodes / 2;
    if (node >= 0 && node < 2 * half)
        roles->across = first_of(map, node < half ? node + half : node - half);
    roles->follows =
        rank > 0 && (rank == roles->helper || rank == roles->peer || rank == roles->partner);
    for (int i = 1; i < roles->looks; i++)
        roles->follows = roles->follows || rank == roles->look[i];
}
