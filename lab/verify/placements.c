/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/verify/placements.h"

#include <stdint.h>
#include <string.h>

/* The next partition in lexicographic order; nodes are numbered in the order of their first ranks.
 * Ends before the last one, which has each rank on its own node. */
static bool next_partition(int ranks, int *node)
{
    int highest[SUMMAND__EVERY_PARTITION] = {0}, r = ranks - 1;
    for (int i = 1; i < ranks; i++)
        highest[i] = highest[i - 1] > node[i - 1] ? highest[i - 1] : node[i - 1];
    while (r > 0 && node[r] > highest[r])
        r--;
    if (r <= 0)
        return false;
    node[r]++;
    for (int i = r + 1; i < ranks; i++)
        node[i] = 0;
    for (int i = 1; i < ranks; i++)
        if (node[i] != i)
            return true;
    return false;
}

static void at_random(int ranks, int nodes, unsigned turn, int *node)
{
    uint32_t state = turn * 2654435761u + (uint32_t)ranks;
    for (int r = 0; r < ranks; r++) {
        state = state * 1664525u + 1013904223u;
        node[r] = (int)((uint64_t)(state >> 8) * (uint32_t)nodes >> 24);
    }
}

/* All on one node, blocks, round-robin, at random. */
enum { KINDS = 4 };

static void some_placement(int ranks, unsigned kind, unsigned turn, int *node)
{
    int size = 2 + (int)(turn % (unsigned)(ranks - 2));
    if (kind == KINDS - 1)
        at_random(ranks, size, turn, node);
    else
        for (int r = 0; r < ranks; r++)
            node[r] = kind == 0 ? 0 : kind == 1 ? r / size : r % size;
}

bool summand__placements_next(struct summand__placements *placements, int *node)
{
    int ranks = placements->ranks, given = placements->given++;
    if (ranks < 2)
        return false;
    if (ranks > SUMMAND__EVERY_PARTITION) {
        int count =
            ranks <= SUMMAND__THREE_PLACEMENTS ? 3 : (int)((placements->turn >> 8) % 8 == 0);
        if (given < count)
            some_placement(ranks, (placements->turn + (unsigned)given) % KINDS,
                           placements->turn / KINDS, node);
        return given < count;
    }
    if (given)
        return next_partition(ranks, node);
    memset(node, 0, (size_t)ranks * sizeof *node);
    return true;
}
