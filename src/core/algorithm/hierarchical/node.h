/* SPDX-License-Identifier: BSD-3-Clause */
/* Node-aware compositions: inside nodes, between their leaders, inside nodes again, each by an
 * algorithm of the table. They only compose the schedules of these parts. */
#pragma once

#include "algorithm/call.h"
#include "schedule/embed.h"

/* Functions of a row: reduce, bcast or all-reduce over one leader per node. The leader is the root
 * in its own node, else the first rank. The algorithm inside nodes does reduce and bcast. */
void summand__node_build(const struct summand__algorithm *algorithm,
                         const struct summand__call *call, struct summand__schedule *schedule);
struct summand__cost summand__node_cost(const struct summand__algorithm *algorithm,
                                        const struct summand__call *call, bool depth);
double summand__node_estimate(const struct summand__algorithm *algorithm,
                              const struct summand__call *call, size_t element,
                              const struct summand__model *model);

/* The node that contains `rank`. */
struct summand__node_view {
    int first, ranks;      /* this node's first rank, and its ranks */
    int node, nodes, full; /* its number, the number of nodes, ranks of the largest node */
};
struct summand__node_view summand__node_of(const struct summand__call *call, int rank);

/* The cost of a part of a composition, with or without its depth. */
struct summand__cost summand__part_cost(const struct summand__algorithm *algorithm,
                                        const struct summand__call *part, bool depth);

/* The call's grouping if node sizes differ; else NULL: all nodes have `full` ranks, except that the
 * last may have fewer. */
const struct summand__grouping *summand__node_borders(const struct summand__call *call);

/* The first rank of a node. For the number of nodes: the number of ranks. */
int summand__node_first(const struct summand__call *call, int node);

/* Maps ranks of a part to ranks of the whole. The part is a node's ranks or one rank per node: the
 * `local`-th of node n if `local_of` is NULL. The caller closes it. */
struct summand__part_ranks {
    struct summand__embedding embedding;
    int *member; /* also NULL when out of memory: then `poor` is set */
    bool poor;
};
struct summand__part_ranks summand__ranks_inside(const struct summand__node_view *view);
struct summand__part_ranks summand__ranks_between(const struct summand__call *call, int local,
                                                  int (*local_of)(const struct summand__call *call,
                                                                  int node, int local));
void summand__part_ranks_close(struct summand__part_ranks *ranks);

/* Builds a part's schedule and embeds it, unless its ranks are `poor`. The part's scratch follows
 * the whole's. */
void summand__compose(const struct summand__algorithm *algorithm, const struct summand__call *part,
                      const struct summand__part_ranks *ranks, struct summand__region sendbuf,
                      struct summand__region recvbuf, struct summand__schedule *schedule);
