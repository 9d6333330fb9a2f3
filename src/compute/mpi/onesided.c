/* SPDX-License-Identifier: BSD-3-Clause */
#include "compute/mpi/onesided.h"

#include "compute/mpi/places.h"
#include "compute/mpi/window.h"

int summand__plan_window_open(struct summand__state *state,
                              const struct summand__schedule *schedule, bool deadline,
                              struct summand__onesided *onesided)
{
    size_t bytes[SUMMAND__MOST_PLACES];
    struct summand__window_spec spec = summand__places_window(schedule, bytes);
    spec.deadline = deadline;
    return summand__window_open(state, &spec, 0, &onesided->window);
}

void summand__plan_window_close(struct summand__onesided *onesided)
{
    if (onesided->window)
        onesided->window->transport->close(onesided->window);
    onesided->window = NULL;
}

enum { POLLS = 8, MORE = 4096 };

static struct summand__onesided *steps_of(const summand_plan *plan)
{
    const struct summand__execution_tables *tables = plan->execution.tables;
    return tables ? tables->onesided : NULL;
}

bool summand__plan_recording_init(const summand_plan *plan, struct summand__recording *recording)
{
    const struct summand__execution_tables *tables = plan->execution.tables;
    size_t steps = tables ? tables->schedule.length : 0;
    return summand__recording_init(recording, POLLS * steps + MORE);
}

bool summand__plan_record(summand_plan *plan, struct summand__recording *recording)
{
    struct summand__onesided *steps = steps_of(plan);
    if (steps)
        steps->recording = recording;
    return steps;
}

struct summand__recorded summand__plan_recorded(const summand_plan *plan,
                                                const struct summand__recording *recording,
                                                size_t i)
{
    return summand__recording_read(&plan->execution, recording, i);
}

const struct summand__window *summand__plan_window(const summand_plan *plan)
{
    const struct summand__onesided *steps = steps_of(plan);
    return steps ? steps->window : NULL;
}
