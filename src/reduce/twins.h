/* Two trees at once, each for half of the vector, of which one's leaves are inner nodes of the
 * other. */
#ifndef SUMMAND_REDUCE_TWINS_H
#define SUMMAND_REDUCE_TWINS_H

#include "reduce/pipe.h"
#include "schedule/model.h"

/* Reduce, bcast or allreduce; with `nodes` between the leaders of nodes, below whom k-ary trees
 * stand. */
void summand__twins_build(const struct summand__call *call, bool nodes,
                          struct summand__schedule *schedule);
struct summand__cost summand__twins_cost(const struct summand__call *call, bool nodes, bool depth);

double summand__twins_estimate(const struct summand__call *call, bool nodes, size_t element,
                               const struct summand__model *model);

#endif
