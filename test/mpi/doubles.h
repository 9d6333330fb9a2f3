/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans of the tests' own schedules, with sums of doubles. */
#pragma once

#include <summand.h>

#include "mpi/harness.h"
#include "plan/plan.h"

static inline void doubles_add(const void *context, const void *in, void *inout, size_t count)
{
    const double *a = in;
    double *b = inout;
    (void)context;
    for (size_t i = 0; i < count; i++)
        b[i] = a[i] + b[i];
}

static inline void doubles_copy(const void *context, const void *from, void *to, size_t count)
{
    (void)context;
    memcpy(to, from, count * sizeof(double));
}

static inline void doubles_before(void *work)
{
    (void)work;
}

static inline int doubles_after(void *work)
{
    (void)work;
    return MPI_SUCCESS;
}

static inline summand_plan *doubles_plan(struct summand__state *state,
                                         struct summand__schedule *schedule, const double *sendbuf,
                                         double *recvbuf, struct summand__onesided *onesided)
{
    static const struct summand__plan_hooks hooks = {
        .before = doubles_before, .after = doubles_after, .drop = doubles_before};
    summand_plan *plan = NULL;
    struct summand__plan_parts parts = {
        .root = SUMMAND_ROOT_ALL,
        .operator= {.extent = sizeof(double), .reduce = doubles_add, .copy = doubles_copy},
        .datatype = MPI_DOUBLE,
        .schedule = schedule,
        .onesided = onesided,
        .sendbuf = sendbuf,
        .recvbuf = recvbuf,
        .hooks = &hooks};
    int code = summand__plan_tag(state, &parts.tag);
    if (code == MPI_SUCCESS)
        code = summand__plan_make(state, &parts, &plan);
    CHECK(code == MPI_SUCCESS && plan, "plan: %d", code);
    if (!plan)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return plan;
}
