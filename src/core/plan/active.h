/* SPDX-License-Identifier: BSD-3-Clause */
/* Active plans, which any waiting call progresses: all of a thread's plans, on every communicator,
 * because other ranks may wait for them first.
 *
 * One thread at a time uses a communicator, but one thread may start a plan and another wait for
 * it, while the first waits elsewhere. So a thread progresses the plans of communicators that
 * it was the last to use with active plans. Another thread that uses such a communicator takes it
 * over when the first is not progressing it. */
#pragma once

#include "plan/plan.h"

/* Takes over a communicator with active plans, which another thread may progress. */
void summand__active_take_over(struct summand__state *state);

/* Call it before you touch a communicator's plans or transports. */
static inline void summand__active_take(struct summand__state *state)
{
    if (state->progress.plans)
        summand__active_take_over(state);
}

/* Lists or removes a plan; its communicator must have been taken. */
void summand__active_add(summand_plan *plan);
void summand__active_remove(summand_plan *plan);

/* Removes the communicator from the list if it has no active plans; it may then be freed. */
void summand__active_leave(struct summand__state *state);

/* True if this thread has active plans other than this one. Costs one comparison if there are
 * none. */
bool summand__active_others(const summand_plan *plan);

/* Progresses all plans of the thread once, except one (or NULL). Errors are kept in the plans. The
 * communicator must have been taken. */
void summand__active_move(const struct summand__state *state, const summand_plan *except);
