/* SPDX-License-Identifier: BSD-3-Clause */
/* Records the starts of a plan whose schedule computes or has counters (exec/record.h). All calls
 * are local. */
#ifndef SUMMAND_PLAN_RECORD_H
#define SUMMAND_PLAN_RECORD_H

#include "exec/record.h"
#include "plan/plan.h"

/* Allocates memory for the records of one start: every step, and the failed polls between. False
 * when out of memory. */
bool summand__plan_recording_init(const summand_plan *plan, struct summand__recording *recording);

/* Records the following starts; NULL: stops. False if the plan has no such steps. */
bool summand__plan_record(summand_plan *plan, struct summand__recording *recording);

/* Record i, from max(0, count - room) on. */
struct summand__recorded summand__plan_recorded(const summand_plan *plan,
                                                const struct summand__recording *recording,
                                                size_t i);

/* The window of the plan's schedule, or NULL. */
const struct summand__window *summand__plan_window(const summand_plan *plan);

#endif
