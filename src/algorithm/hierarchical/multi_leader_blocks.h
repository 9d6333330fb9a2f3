/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks over several leaders per node. The vector is first put, or lies at last, in the order of
 * parts: for each leader, the blocks of the ranks of all nodes that stand behind it. */
#ifndef SUMMAND_ALGORITHM_HIERARCHICAL_MULTI_LEADER_BLOCKS_H
#define SUMMAND_ALGORITHM_HIERARCHICAL_MULTI_LEADER_BLOCKS_H

#include "algorithm/algorithm.h"

/* A function of a row: collectives with blocks. */
void summand__leader_blocks_build(const struct summand__algorithm *algorithm,
                                  const struct summand__call *call,
                                  struct summand__schedule *schedule);

struct summand__cost summand__leader_blocks_cost(const struct summand__composition *levels,
                                                 const struct summand__call *call, bool depth);

#endif
