/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a reduce whose vector is spread over all ranks, a slice (summand__call_slice) on each:
 * the root takes them in at once. Any operator's reduce-scatter makes a reduce so. */
#ifndef SUMMAND_ALGORITHM_EXCHANGE_SLICES_H
#define SUMMAND_ALGORITHM_EXCHANGE_SLICES_H

#include "algorithm/call.h"
#include "model/model.h"

/* `own` is where the rank's slice lies. */
void summand__slices_collect(const struct summand__call *call, struct summand__region own,
                             struct summand__schedule *schedule);

/* Adds messages, elements and a message's depth, which is an upper bound where slices are empty. */
void summand__slices_cost(const struct summand__call *call, struct summand__cost *cost);

double summand__slices_time(const struct summand__model *model, const struct summand__call *call,
                            size_t element);

#endif
