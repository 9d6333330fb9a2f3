/* SPDX-License-Identifier: BSD-3-Clause */
/* What a plan has besides if its schedule computes, or has puts and counters: the window of the
 * schedule, and recordings of its starts (exec/record.h). */
#pragma once

#include "exec/record.h"
#include "plan/plan.h"

/* Collective: opens the window that the ranks' schedules need. `deadline`: waits in it may end
 * before the others answer. An MPI error code. */
int summand__plan_window_open(struct summand__state *state,
                              const struct summand__schedule *schedule, bool deadline,
                              struct summand__onesided *onesided);

/* Closes it, if there is one: after the last plan that uses it, and when no rank puts any more. */
void summand__plan_window_close(struct summand__onesided *onesided);

/* The rest is local. Memory for the records of one start: every step, and the failed polls that a
 * wait returns from. False when out of memory. */
bool summand__plan_recording_init(const summand_plan *plan, struct summand__recording *recording);

/* Records the following starts; NULL: no more. False if the plan has no such steps. */
bool summand__plan_record(summand_plan *plan, struct summand__recording *recording);

/* Record number i, `count - room` or 0 at least. */
struct summand__recorded summand__plan_recorded(const summand_plan *plan,
                                                const struct summand__recording *recording,
                                                size_t i);

/* The window of the plan's schedule, or NULL. */
const struct summand__window *summand__plan_window(const summand_plan *plan);
