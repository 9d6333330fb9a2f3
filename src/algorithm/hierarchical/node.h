/* Node-aware compositions: inside nodes, between their leaders, inside nodes again, each by an
 * algorithm of the table. Nothing here sends: the schedules of the parts are put together. */
#ifndef SUMMAND_ALGORITHM_HIERARCHICAL_NODE_H
#define SUMMAND_ALGORITHM_HIERARCHICAL_NODE_H

#include "algorithm/call.h"

/* Functions of a row: reduce, bcast or all-reduce over one leader per node: the root in its own
 * node, else the first. The algorithm inside nodes does reduce and bcast. */
void summand__node_build(const struct summand__algorithm *algorithm,
                         const struct summand__call *call, struct summand__schedule *schedule);
struct summand__cost summand__node_cost(const struct summand__algorithm *algorithm,
                                        const struct summand__call *call, bool depth);
double summand__node_estimate(const struct summand__algorithm *algorithm,
                              const struct summand__call *call, size_t element,
                              const struct summand__model *model);

/* Ranks of the node that `rank` is in, and its first one. */
struct summand__node_view {
    int first, ranks;      /* this node */
    int node, nodes, full; /* its number, of how many, ranks of a full one */
};
struct summand__node_view summand__node_of(const struct summand__call *call, int rank);

/* The cost of a part of a composition, with its depth or without. */
struct summand__cost summand__part_cost(const struct summand__algorithm *algorithm,
                                        const struct summand__call *part, bool depth);

/* Builds a part's schedule and embeds it; its scratch comes after the whole's. */
void summand__compose(const struct summand__algorithm *algorithm, const struct summand__call *part,
                      int base, int stride, int odd, int odd_rank, struct summand__region sendbuf,
                      struct summand__region recvbuf, struct summand__schedule *schedule);

#endif
