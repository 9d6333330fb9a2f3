/* SPDX-License-Identifier: BSD-3-Clause */
/* What a checked call says of both of its ends: each rank's input is unchanged when the call is
 * over, ranks that must hold the same bits have them, and sums of integers are those of the inputs
 * (witness_sums.h). Behind the schedule, one all-reduce of a
 * few words tells all ranks; with SUMMAND__CORRECT results that differ are computed once more.
 * Covers predefined datatypes. Cost: two hashes of the input, one of such a result, and the
 * all-reduce. */
#pragma once

#include "collective/work.h"

struct summand__witness;

extern const struct summand__plan_hooks summand__witnessed_hooks;

/* summand__collective_stage. */
typedef int summand__make_stage(struct summand__state *state,
                                const struct summand__operation *operation, summand_plan **stage);

/* Gives a made work its witness, for the hooks above, which free it. An MPI error code. */
int summand__witness_make(struct summand__collective_work *work, struct summand__state *state,
                          summand__make_stage *make);

/* For the operation that is bound to the work: before ranks agree, so that what one rank lacks is
 * an error of all. An MPI error code. */
int summand__witness_bind(const struct summand__collective_work *work);
