/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes of any sizes, and how ranks are placed on them: the options --nodes and --placement. */
#pragma once

#include "cli/common/cli.h"
#include "shape/grouping.h"

struct node_options {
    const char *sizes, *placement;
};

#define NODE_OPTIONS(o)                                                                            \
    {                                                                                              \
        "nodes", 0, OPTION_TEXT, &(o).sizes, "LIST", "ranks of each node, such as 16,16,8,3,1",    \
        NULL},                                                                                     \
    {                                                                                              \
        "placement", 0, OPTION_TEXT, &(o).placement, "KIND",                                       \
            "how ranks lie on nodes: block, cyclic, random:SEED", NULL                             \
    }

struct nodes {
    int ranks, most;                      /* of all nodes, of the largest; 0: nodes are not given */
    int *node;                            /* by rank */
    struct summand__groupings *groupings; /* NULL: runs of `most` ranks */
};

/* If no sizes are given: `ranks` ranks, `per_node` on each node. Returns false after a
 * complaint. */
bool nodes_read(const char *command, const struct node_options *options, long long ranks,
                long long per_node, struct nodes *nodes);
void nodes_free(struct nodes *nodes);
