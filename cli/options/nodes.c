/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/nodes.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "bench/need.h"

enum { MOST_RANKS = 1 << 24 };

/* The sizes of nodes, and their number in `count`; the caller frees them. NULL after a
 * complaint. */
static int *read_sizes(const char *command, const char *text, int *count, long long *ranks)
{
    char *copy = need(strdup(text)), *rest = NULL;
    int *sizes = need(malloc((strlen(text) + 1) * sizeof *sizes));
    bool good = true;
    *count = 0;
    *ranks = 0;
    for (char *one = strtok_r(copy, ",", &rest); good && one; one = strtok_r(NULL, ",", &rest)) {
        long long size = 0;
        good = summand__parse_integer(one, &size) && size >= 1 && size <= MOST_RANKS &&
               (*ranks += size) <= MOST_RANKS;
        sizes[(*count)++] = (int)size;
    }
    free(copy);
    if (good && *count)
        return sizes;
    free(sizes);
    complain(command, "--nodes: '%s' is not a list of ranks of nodes, at most %d in all", text,
             MOST_RANKS);
    return NULL;
}

static int *equal_sizes(long long ranks, long long per_node, int *count)
{
    *count = (int)((ranks - 1) / per_node + 1);
    int *sizes = need(malloc((size_t)*count * sizeof *sizes));
    for (int i = 0; i < *count; i++, ranks -= per_node)
        sizes[i] = (int)(ranks < per_node ? ranks : per_node);
    return sizes;
}

static void place_in_order(const int *sizes, int count, int *node)
{
    for (int i = 0, r = 0; i < count; i++)
        for (int k = 0; k < sizes[i]; k++)
            node[r++] = i;
}

/* Places one rank on each node that has room, round after round. */
static void place_in_turn(const int *sizes, int count, int ranks, int *node)
{
    for (int round = 0, r = 0; r < ranks; round++)
        for (int i = 0; i < count; i++)
            if (sizes[i] > round)
                node[r++] = i;
}

static void shuffle(uint64_t state, int ranks, int *node)
{
    for (int r = ranks - 1; r > 0; r--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        int other = (int)((state >> 33) % (uint64_t)(r + 1)), kept = node[r];
        node[r] = node[other];
        node[other] = kept;
    }
}

static bool place(const char *command, const char *kind, const int *sizes, int count,
                  struct nodes *nodes)
{
    long long seed = 0;
    place_in_order(sizes, count, nodes->node);
    if (!kind || !strcmp(kind, "block"))
        return true;
    if (!strcmp(kind, "cyclic"))
        place_in_turn(sizes, count, nodes->ranks, nodes->node);
    else if (!strncmp(kind, "random:", 7) && summand__parse_integer(kind + 7, &seed) && seed >= 0)
        shuffle((uint64_t)seed, nodes->ranks, nodes->node);
    else
        return !complain(command, "--placement: '%s' is not block, cyclic or random:SEED", kind);
    return true;
}

bool nodes_read(const char *command, const struct node_options *options, long long ranks,
                long long per_node, struct nodes *nodes)
{
    int count = 0;
    *nodes = (struct nodes){0};
    if (!options->sizes && !options->placement)
        return true;
    int *sizes = options->sizes ? read_sizes(command, options->sizes, &count, &ranks)
                                : equal_sizes(ranks, per_node, &count);
    if (!sizes)
        return false;
    nodes->ranks = (int)ranks;
    nodes->node = need(malloc((size_t)ranks * sizeof *nodes->node));
    for (int i = 0; i < count; i++)
        nodes->most = sizes[i] > nodes->most ? sizes[i] : nodes->most;
    bool good = place(command, options->placement, sizes, count, nodes);
    if (good && !summand__groupings_make(nodes->node, nodes->ranks, count, &nodes->groupings))
        need(NULL);
    free(sizes);
    if (!good)
        nodes_free(nodes);
    return good;
}

void nodes_free(struct nodes *nodes)
{
    free(nodes->node);
    free(nodes->groupings);
    *nodes = (struct nodes){0};
}
