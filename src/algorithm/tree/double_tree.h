/* Two trees at once, each for half of the vector, of which one's leaves are inner nodes of the
 * other. */
#ifndef SUMMAND_ALGORITHM_TREE_DOUBLE_TREE_H
#define SUMMAND_ALGORITHM_TREE_DOUBLE_TREE_H

#include "algorithm/tree/pipe.h"
#include "model/model.h"

/* Reduce, bcast or allreduce; with `nodes` between the leaders of nodes, below whom k-ary trees
 * stand. */
void summand__double_tree_build(const struct summand__call *call, bool nodes,
                                struct summand__schedule *schedule);
struct summand__cost summand__double_tree_cost(const struct summand__call *call, bool nodes,
                                               bool depth);

double summand__double_tree_estimate(const struct summand__call *call, bool nodes, size_t element,
                                     const struct summand__model *model);

#endif
