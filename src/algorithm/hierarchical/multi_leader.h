/* Compositions with several leaders per node, each for its part of the vector: reduce-scatter
 * inside nodes to the leaders, the call's collective between opposite leaders, all-gather inside.
 * Leader g is rank g of its node. Nothing here sends but what a root collects
 * and what leaders hand to the ranks behind them; the rest is put together from schedules of the
 * table. */
#ifndef SUMMAND_ALGORITHM_HIERARCHICAL_MULTI_LEADER_H
#define SUMMAND_ALGORITHM_HIERARCHICAL_MULTI_LEADER_H

#include "algorithm/estimate.h"
#include "algorithm/hierarchical/node.h"

struct summand__multi_leader {
    const struct summand__algorithm *inside; /* blocks of any sizes */
    /* Its time, for a vector on so many ranks that `holders` of them have parts of. */
    struct summand__there_and_back (*inside_time)(const struct summand__model *model, int ranks,
                                                  int holders, double bytes);
    const struct summand__algorithm *between[SUMMAND__COLLECTIVES]; /* of the call's collective;
                                                                       with blocks, of any sizes */
};

/* Leaders of every node: not more than the smallest node has ranks. */
int summand__leaders_of(const struct summand__call *call);

/* A part of the call: inside the node of `rank`, or between the leaders of part `part`. */
struct summand__call summand__multi_leader_inside(const struct summand__call *call, int rank,
                                                  enum summand__collective collective,
                                                  const size_t *offsets);
struct summand__call summand__multi_leader_between(const struct summand__call *call, size_t count);

/* Any collective. With blocks the vector is first put, or lies at last, in the order of parts: for
 * each leader, the blocks of the ranks of all nodes that stand behind it (multi_leader_blocks.c).
 */
void summand__leaders_build(const struct summand__call *call,
                            const struct summand__multi_leader *multi_leader,
                            struct summand__schedule *schedule);
struct summand__cost summand__leaders_cost(const struct summand__call *call,
                                           const struct summand__multi_leader *multi_leader,
                                           bool depth);

double summand__leaders_estimate(const struct summand__call *call, size_t element,
                                 const struct summand__model *model,
                                 const struct summand__multi_leader *multi_leader);

/* Of collectives with blocks. */
void summand__leaders_blocks_build(const struct summand__call *call,
                                   const struct summand__multi_leader *multi_leader,
                                   struct summand__schedule *schedule);
struct summand__cost summand__leaders_blocks_cost(const struct summand__call *call,
                                                  const struct summand__multi_leader *multi_leader,
                                                  bool depth);

/* The cost of so many alike phases inside all nodes is added, for which `cut` sets the offsets of
 * the parts in a node of so many ranks; returns the depth of one. */
size_t summand__multi_leader_add_nodes(struct summand__cost *sum, const struct summand__call *call,
                                       const struct summand__multi_leader *multi_leader,
                                       enum summand__collective collective, size_t phases,
                                       bool depth,
                                       void (*cut)(const struct summand__call *call, int ranks,
                                                   size_t *offsets));

#endif
