/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a reduce whose vector is scattered over all ranks, a slice (summand__call_slice) on
 * each: the root receives all slices at once. Thus a reduce-scatter becomes a reduce. */
#pragma once

#include "algorithm/call.h"
#include "model/model.h"

/* `own`: the region of the rank's slice. */
void summand__slices_collect(const struct summand__call *call, struct summand__region own,
                             struct summand__schedule *schedule);

/* Adds messages, elements and a message's depth, which is an upper bound if slices are empty. */
void summand__slices_cost(const struct summand__call *call, struct summand__cost *cost);

double summand__slices_time(const struct summand__model *model, const struct summand__call *call,
                            size_t element);
