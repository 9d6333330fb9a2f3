/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls on nodes of any sizes and any order (shape/grouping.h). If ranks may change places, any
 * algorithm runs on places: its schedule is built for the rank's place and then embedded. */
#pragma once

#include "algorithm/algorithm.h"

/* True if the algorithm runs on places: not if it is canonical, because that bracketing is by
 * ranks. */
bool summand__regroups(const struct summand__algorithm *algorithm,
                       const struct summand__call *call);

/* The schedule and the cost of such a call, whose parameters are set and in range. Blocks cost one
 * copy of the vector, into the order of places or back. */
void summand__regroup_build(const struct summand__algorithm *algorithm,
                            const struct summand__call *call, struct summand__schedule *schedule);
struct summand__cost summand__regroup_cost(const struct summand__algorithm *algorithm,
                                           const struct summand__call *call, bool depth);

/* The estimate of a call with a grouping, whose parameters are set and in range: that on nodes of
 * one size that takes about as long. The largest group counts, as the others wait for its card. */
double summand__regroup_estimate(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, size_t element,
                                 const struct summand__model *model);
