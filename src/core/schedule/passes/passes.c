/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/passes/passes.h"

bool summand__passes(struct summand__schedule *schedule, const struct summand__abilities *abilities)
{
    return summand__hoist(schedule) &&
           (!abilities->combines ||
            (summand__defer(schedule, abilities) && summand__recv_reduce(schedule, abilities) &&
             summand__sends_first(schedule, abilities))) &&
           (!abilities->nontemporal || summand__nontemporal(schedule));
}
