/* SPDX-License-Identifier: BSD-3-Clause */
/* summand_ordered_reduce: check, make a plan, run it. */
#include <summand/ordered.h>

#include "kernel/fpenv.h"
#include "ordered/reduce.h"
#include "plan/plan.h"
#include "process/error.h"

/* `error`: what is wrong with the other arguments of this rank. */
static int make(const struct summand__ordered_call *call, MPI_Comm comm, int error, bool blocking,
                summand_plan **plan)
{
    struct summand__state *state;
    *plan = NULL;
    int code = summand__state_of(comm, &state);
    if (code != MPI_SUCCESS)
        return code;
    summand__enter(state, SUMMAND__ENTERED_ORDERED_REDUCE | (blocking ? 0 : SUMMAND__ENTERED_INIT));
    double timeout = call->options && call->options->timeout > 0 ? call->options->timeout : 0;
    if (error == MPI_SUCCESS)
        error = summand__ordered_check(call, state);
    state->asked.timeout = timeout; /* of the agreements in here */
    int tag = summand__call_tag(state);
    code = blocking ? MPI_SUCCESS : summand__plan_tag(state, &tag);
    if (code == MPI_SUCCESS)
        code = summand__ordered_plan(state, call, error, tag, plan);
    else if (error != MPI_SUCCESS)
        code = error;
    state->asked.timeout = 0;
    if (*plan)
        (*plan)->watch.timeout = timeout;
    return code;
}

int summand_ordered_reduce(const void *sendbuf, void *recvbuf, MPI_Count count,
                           MPI_Count displacement, MPI_Datatype datatype, MPI_Op op, int root,
                           MPI_Comm comm, const summand_options *options)
{
    SUMMAND__IN_DEFAULT_FPENV;
    struct summand__ordered_call call = {sendbuf, recvbuf, count,   displacement, datatype,
                                         op,      root,    options, false};
    summand_plan *plan;
    int code = make(&call, comm, MPI_SUCCESS, true, &plan);
    if (code == MPI_SUCCESS)
        code = summand__plan_run(plan);
    summand_plan_free(&plan);
    return summand__raise("summand_ordered_reduce", comm, code);
}

int summand_ordered_reduce_init(const void *sendbuf, void *recvbuf, MPI_Count count,
                                MPI_Count displacement, MPI_Datatype datatype, MPI_Op op, int root,
                                MPI_Comm comm, const summand_options *options, summand_plan **plan)
{
    SUMMAND__IN_DEFAULT_FPENV;
    struct summand__ordered_call call = {sendbuf, recvbuf, count,   displacement, datatype,
                                         op,      root,    options, true};
    summand_plan *made;
    int error = plan ? MPI_SUCCESS : summand__refuse(SUMMAND_ERR_ARGUMENT, "plan is NULL");
    int code = make(&call, comm, error, false, &made);
    if (plan)
        *plan = made;
    return summand__raise("summand_ordered_reduce_init", comm, code);
}
