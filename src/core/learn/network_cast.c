/* SPDX-License-Identifier: BSD-3-Clause */
#include "learn/network_fit.h"

/* The first rank of a node, by the node's index. */
static int first_of(const int *leader, int ranks, int node)
{
    for (int r = 0; r < ranks; r++)
        if (leader[r] == r && node-- == 0)
            return r;
    return -1;
}

static int second_of(const int *leader, int ranks, int first)
{
    for (int r = first + 1; r < ranks; r++)
        if (leader[r] == first)
            return r;
    return -1;
}

/* Chooses the first node besides rank 0's that has a second rank; else the first other one. */
static void cast_peer(const int *leader, int ranks, struct summand__network_roles *roles)
{
    roles->peer = roles->partner = -1;
    for (int r = 1; r < ranks; r++) {
        int first = leader[r];
        if (first == 0)
            continue;
        if (roles->peer < 0)
            roles->peer = first;
        if (first != r) {
            roles->peer = first;
            roles->partner = second_of(leader, ranks, first);
            return;
        }
    }
}

static void cast_looks(const int *leader, int ranks, struct summand__network_roles *roles)
{
    for (int r = 0, node = 0; r < ranks; r++) {
        if (leader[r] != r)
            continue;
        if (node < SUMMAND__NETWORK_LOOKS - 1 || node == roles->nodes - 1)
            roles->look[roles->looks++] = r;
        node++;
    }
}

void summand__network_cast(const int *leader, int ranks, int rank,
                           struct summand__network_roles *roles)
{
    int node = -1;
    *roles = (struct summand__network_roles){.rank = rank, .across = -1};
    for (int r = 0; r < ranks; r++) {
        if (leader[r] != r)
            continue;
        node = r == rank ? roles->nodes : node;
        roles->nodes++;
    }
    roles->helper = second_of(leader, ranks, 0);
    cast_peer(leader, ranks, roles);
    cast_looks(leader, ranks, roles);
    if (roles->nodes < 2) {
        roles->peer = roles->helper;
        roles->helper = -1;
    }
    int half = roles->nodes / 2;
    if (node >= 0 && node < 2 * half)
        roles->across = first_of(leader, ranks, node < half ? node + half : node - half);
    roles->follows =
        rank > 0 && (rank == roles->helper || rank == roles->peer || rank == roles->partner);
    for (int i = 1; i < roles->looks; i++)
        roles->follows = roles->follows || rank == roles->look[i];
}
