/* SPDX-License-Identifier: BSD-3-Clause */
/* Two trees at once, each for half of the vector, of which one's leaves are inner nodes of the
 * other. */
#pragma once

#include "algorithm/tree/pipe.h"
#include "model/model.h"

/* Functions of a row: reduce, bcast or allreduce; with a shape `inside` between the leaders of
 * nodes, below whom trees of that shape stand. */
void summand__double_tree_build(const struct summand__algorithm *algorithm,
                                const struct summand__call *call,
                                struct summand__schedule *schedule);
struct summand__cost summand__double_tree_cost(const struct summand__algorithm *algorithm,
                                               const struct summand__call *call, bool depth);
double summand__double_tree_estimate(const struct summand__algorithm *algorithm,
                                     const struct summand__call *call, size_t element,
                                     const struct summand__model *model);
