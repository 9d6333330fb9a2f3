/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of exact sums of vectors: a kind of calls, with the collectives' arguments. */
#include "collective/arguments.h"
#include "collective/exact_plan.h"
#include "op/predefined.h"

bool summand__exact_asked(const struct summand__operation *operation)
{
    return operation->options && operation->options->promise > SUMMAND_PROMISE_CANONICAL &&
           summand__has_operator(operation->collective) &&
           !summand__op_exact(operation->op, operation->datatype);
}

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
    return summand__work_serves(user_of(work),
                                &((const struct summand__collective_asked *)asked)->draft);
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

const struct summand__call_kind summand__exact_kind = {.repeats = repeats,
                                                       .repeat = repeat,
                                                       .check = summand__collective_check,
                                                       .sign = sign,
                                                       .describe = summand__collective_describe,
                                                       .serves = serves,
                                                       .rebind = rebind,
                                                       .make = make,
                                                       .bytes = summand__exact_bytes};
