/* Node-aware compositions: inside nodes, between their leaders, inside nodes again, each by an
 * algorithm of the table. Nothing here sends: the schedules of the parts are put together. */
#ifndef SUMMAND_ALGORITHM_HIERARCHICAL_NODE_H
#define SUMMAND_ALGORITHM_HIERARCHICAL_NODE_H

#include "algorithm/call.h"

/* The algorithms of the levels, for each of the whole call's collectives. */
struct summand__levels {
    const struct summand__algorithm *inside;                        /* reduce and bcast */
    const struct summand__algorithm *between[SUMMAND__COLLECTIVES]; /* the call's collective */
};

/* Reduce, bcast or all-reduce over one leader per node: the root in its own node, else the first.
 */
void summand__node_build(const struct summand__call *call, const struct summand__levels *levels,
                         struct summand__schedule *schedule);
struct summand__cost summand__node_cost(const struct summand__call *call,
                                        const struct summand__levels *levels, bool depth);
double summand__node_estimate(const struct summand__call *call, size_t element,
                              const struct summand__model *model,
                              const struct summand__levels *levels);

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
