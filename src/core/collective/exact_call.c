/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of exact sums of vectors: a kind of calls, with the collectives' arguments. */
#include "collective/arguments.h"
#include "collective/exact_plan.h"
#include "collective/reduction.h"

static const struct summand__collective_work *user_of(const void *work)
{
    return summand__exact_user((void *)work);
}

static bool repeats(const void *work, const void *asked)
{
    return summand__collective_repeats(
        user_of(work), ((const struct summand__collective_asked *)asked)->operation);
}

static int repeat(summand_plan *plan, const void *asked)
{
    bool moved;
    return summand__collective_repeat(summand__exact_user(plan->work), plan->state,
                                      ((const struct summand__collective_asked *)asked)->operation,
                                      &moved);
}

static void sign(const struct summand__plan_call *call, struct summand__signature *signature)
{
    const summand_plan *plan = *call->plan;
    summand__work_sign(signature, user_of(plan->work), plan->choice.algorithm, call->state,
                       call->init);
}

static bool serves(const void *work, const void *asked)
{
    const struct summand__collective_work *draft =
        &((const struct summand__collective_asked *)asked)->draft;
    return summand__work_serves(user_of(work), draft) &&
           summand__exact_takes(work, draft->operation.datatype);
}

static int rebind(const struct summand__plan_call *call, summand_plan *plan)
{
    return summand__work_bind(summand__exact_user(plan->work),
                              &((const struct summand__collective_asked *)call->asked)->draft);
}

static int make(struct summand__plan_call *call, int code, summand_plan **plan)
{
    const struct summand__collective_asked *asked = call->asked;
    (void)code; /* always MPI_SUCCESS */
    return summand__exact_vector_plan(call->state, &asked->draft, call->tag, plan);
}

static const struct summand__call_kind kind = {.repeats = repeats,
                                               .repeat = repeat,
                                               .check = summand__collective_check,
                                               .sign = sign,
                                               .describe = summand__collective_describe,
                                               .serves = serves,
                                               .rebind = rebind,
                                               .make = make,
                                               .bytes = summand__exact_bytes};

int summand__exact_run(const struct summand__operation *operation, MPI_Comm comm)
{
    struct summand__collective_asked asked = {.operation = operation};
    struct summand__plan_call call = summand__collective_call(&kind, &asked, false);
    return summand__call_run(&call, comm);
}

int summand__exact_init(const struct summand__operation *operation, MPI_Comm comm,
                        summand_plan **plan)
{
    struct summand__collective_asked asked = {.operation = operation};
    struct summand__plan_call call = summand__collective_call(&kind, &asked, true);
    return summand__call_init(&call, comm, plan);
}
