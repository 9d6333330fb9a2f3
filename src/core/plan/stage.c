/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans of several stages. */
#include "plan/plan.h"

void summand__plan_swap(summand_plan *plan, summand_plan *stage)
{
    const struct summand__route route = plan->route;
    const struct summand__execution execution = plan->execution;
    plan->route = stage->route;
    plan->execution = stage->execution;
    stage->route = route;
    stage->execution = execution;
    summand__link_resume(plan->route.link, route.link);
    summand__route_watch(&plan->route, &plan->watch);
    plan->moves = plan->route.link->moves;
    plan->place = 0;
}

int summand__plan_go_on(summand_plan *plan, bool *done)
{
    int code = MPI_SUCCESS;
    *done = true;
    while (code == MPI_SUCCESS && plan->more && *done) {
        code = plan->hooks->next(plan->work, plan, &plan->more);
        if (code == MPI_SUCCESS && plan->more) {
            code = summand__execution_start(&plan->execution);
            *done = !plan->execution.active;
        }
    }
    plan->more = plan->more && code == MPI_SUCCESS;
    return code;
}

int summand__plan_poll(summand_plan *plan, bool *done)
{
    int code = summand__execution_test(&plan->execution, done);
    if (code == MPI_SUCCESS && *done && plan->more)
        return summand__plan_go_on(plan, done);
    plan->more = plan->more && code == MPI_SUCCESS;
    return code;
}
