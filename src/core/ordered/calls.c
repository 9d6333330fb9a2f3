/* SPDX-License-Identifier: BSD-3-Clause */
/* summand_ordered_reduce and its plan, as a kind of call. */
#include <summand/ordered.h>

#include "ordered/reduce.h"
#include "plan/call.h"

static int check(struct summand__plan_call *call)
{
    struct summand__ordered_call *asked = call->asked;
    asked->outlives = call->init;
    return summand__ordered_check(asked, call->state);
}

static int make(struct summand__plan_call *call, int code, summand_plan **plan)
{
    return summand__ordered_plan(call->state, call->asked, code, call->tag, plan);
}

static const struct summand__call_kind kind = {.together = true, .check = check, .make = make};

static struct summand__plan_call call_of(struct summand__ordered_call *asked, const char *name)
{
    return (struct summand__plan_call){.kind = &kind,
                                       .name = name,
                                       .entered = SUMMAND__ENTERED_ORDERED_REDUCE,
                                       .timeout = asked->options ? asked->options->timeout : 0,
                                       .asked = asked};
}

int summand_ordered_reduce(const void *sendbuf, void *recvbuf, MPI_Count count,
                           MPI_Count displacement, MPI_Datatype datatype, MPI_Op op, int root,
                           MPI_Comm comm, const summand_options *options)
{
    struct summand__ordered_call asked = {sendbuf, recvbuf, count,   displacement, datatype,
                                          op,      root,    options, false};
    struct summand__plan_call call = call_of(&asked, "summand_ordered_reduce");
    return summand__call_run(&call, comm);
}

int summand_ordered_reduce_init(const void *sendbuf, void *recvbuf, MPI_Count count,
                                MPI_Count displacement, MPI_Datatype datatype, MPI_Op op, int root,
                                MPI_Comm comm, const summand_options *options, summand_plan **plan)
{
    struct summand__ordered_call asked = {sendbuf, recvbuf, count,   displacement, datatype,
                                          op,      root,    options, true};
    struct summand__plan_call call = call_of(&asked, "summand_ordered_reduce_init");
    return summand__call_init(&call, comm, plan);
}
