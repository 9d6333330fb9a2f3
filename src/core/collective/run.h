/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a collective operation as a plan: schedule, memory, and the caller's buffers. */
#pragma once

#include <summand/plan.h>

#include "collective/work.h"
#include "plan/call.h"

/* A call's arguments, and their draft if no plan repeats. */
struct summand__collective_asked {
    const struct summand__operation *operation;
    struct summand__collective_work draft;
};

/* Runs a blocking call and raises its error on the caller's communicator. Reuses a cached plan of
 * the same shape. */
int summand__collective_run(const struct summand__operation *operation, MPI_Comm comm);

/* Makes a persistent plan; an error of one rank is an error of all. */
int summand__collective_init(const struct summand__operation *operation, MPI_Comm comm,
                             summand_plan **plan);

/* Parts of kinds of calls (plan/call.h) whose `asked` is a struct summand__collective_asked. True
 * if the operation equals the one that the work was bound to last, perhaps with other buffers. */
bool summand__collective_repeats(const struct summand__collective_work *work,
                                 const struct summand__operation *operation);
/* Checks the buffers of such an operation, unless they are the last ones, and takes them: `*moved`.
 */
int summand__collective_repeat(struct summand__collective_work *work,
                               const struct summand__state *state,
                               const struct summand__operation *operation, bool *moved);
/* `check` and `describe` of the kind. */
int summand__collective_check(struct summand__plan_call *call);
void summand__collective_describe(const void *asked, char *text, size_t room);

/* Makes a plan that serves another as a stage (summand__plan_swap), for an operation on our own
 * buffers, or on others that move. Local. */
int summand__collective_stage(struct summand__state *state,
                              const struct summand__operation *operation, summand_plan **stage);
/* The result of a stage that has run: an MPI error code. */
int summand__collective_stage_after(summand_plan *stage);

/* A public call of this kind. */
struct summand__plan_call summand__collective_call(const struct summand__call_kind *kind,
                                                   struct summand__collective_asked *asked,
                                                   bool init);
