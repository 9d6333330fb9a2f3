/* SPDX-License-Identifier: BSD-3-Clause */
/* Compositions with several leaders per node, each for its part of the vector: reduce-scatter
 * inside nodes to the leaders, the call's collective between opposite leaders, all-gather inside.
 * Nothing here sends but what a root collects and what leaders hand to the ranks behind them; the
 * rest is put together from schedules of the table. */
#ifndef SUMMAND_ALGORITHM_HIERARCHICAL_MULTI_LEADER_H
#define SUMMAND_ALGORITHM_HIERARCHICAL_MULTI_LEADER_H

#include "algorithm/estimate.h"
#include "algorithm/hierarchical/multi_leader_blocks.h"

/* Functions of a row whose algorithm inside nodes does blocks of any sizes. The first builds
 * reduce, broadcast and all-reduce; cost and estimate are of any collective. */
void summand__leaders_build(const struct summand__algorithm *algorithm,
                            const struct summand__call *call, struct summand__schedule *schedule);
struct summand__cost summand__leaders_cost(const struct summand__algorithm *algorithm,
                                           const struct summand__call *call, bool depth);
double summand__leaders_estimate(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, size_t element,
                                 const struct summand__model *model);

#endif
