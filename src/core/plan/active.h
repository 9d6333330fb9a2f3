/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans under way, for whoever waits to move on: all of a thread's, whatever communicator they are
 * on, as other ranks may wait for them first.
 *
 * A communicator is used by one thread at a time, but its plans may be started by one and waited
 * for by another, while the first waits elsewhere. So a thread moves on the plans of communicators
 * that it was the last to use with plans under way; another one that uses such a communicator takes
 * it over, once the first is not at it. */
#ifndef SUMMAND_PLAN_ACTIVE_H
#define SUMMAND_PLAN_ACTIVE_H

#include "plan/plan.h"

/* Where the communicator has active plans, which another thread may move on. */
void summand__active_take_over(struct summand__state *state);

/* To be called before a communicator's plans or transports are touched. */
static inline void summand__active_take(struct summand__state *state)
{
    if (state->progress.plans)
        summand__active_take_over(state);
}

/* The plan's communicator has been taken. */
void summand__active_add(summand_plan *plan);
void summand__active_remove(summand_plan *plan);

/* The communicator, if it has no plans under way, may be gone the next moment. */
void summand__active_leave(struct summand__state *state);

/* Whether there are plans besides this one, itself under way or not, for this thread to move on.
 * Costs one look where there are no plans under way. */
bool summand__active_others(const summand_plan *plan);

/* Moves the thread's plans on, once, but for one (or NULL). Errors are kept in the plans. The
 * communicator has been taken. */
void summand__active_move(const struct summand__state *state, const summand_plan *except);

#endif
