/* SPDX-License-Identifier: BSD-3-Clause */
/* Parcels: an all-to-all with blocks of any length (SUMMAND__OUTER_PARCELS), all at once. */
#pragma once

#include "outer/algorithm/build.h"

static inline bool summand__outer_is_parcels(const struct summand__call *call)
{
    return call->outer->result == SUMMAND__OUTER_PARCELS;
}

void summand__outer_build_parcels(const struct summand__call *call,
                                  struct summand__schedule *schedule);

/* At most one message between any two ranks. */
struct summand__cost summand__outer_parcels_cost(const struct summand__call *call);
