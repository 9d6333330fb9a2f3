/* SPDX-License-Identifier: BSD-3-Clause */
/* Compositions with several leaders per node, each for its part of the vector: reduce-scatter
 * inside nodes to the leaders, the call's collective between opposite leaders, all-gather inside.
 * These files send only the slices that a root collects, and blocks between leaders and their
 * ranks. The rest is composed from schedules of the table. */
#pragma once

#include "algorithm/algorithm.h"
#include "algorithm/estimate.h"

/* Functions of a row whose algorithm inside nodes handles blocks of any sizes. The first builds
 * reduce, broadcast and all-reduce; cost and estimate handle any collective. */
void summand__leaders_build(const struct summand__algorithm *algorithm,
                            const struct summand__call *call, struct summand__schedule *schedule);
struct summand__cost summand__leaders_cost(const struct summand__algorithm *algorithm,
                                           const struct summand__call *call, bool depth);
double summand__leaders_estimate(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, size_t element,
                                 const struct summand__model *model);

/* Blocks over several leaders per node. The vector is first put into, or finally lies in, the order
 * of parts: for each leader, the blocks of the ranks behind it on all nodes. */

/* A function of a row, for collectives with blocks. */
void summand__leader_blocks_build(const struct summand__algorithm *algorithm,
                                  const struct summand__call *call,
                                  struct summand__schedule *schedule);

struct summand__cost summand__leader_blocks_cost(const struct summand__composition *levels,
                                                 const struct summand__call *call, bool depth);
