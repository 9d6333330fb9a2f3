/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective parts of making plans. They use agreements, which themselves use plans if ranks
 * differ, so plan.c cannot call them. */
#include <string.h>

#include "plan/agree.h"
#include "plan/join.h"
#include "plan/plan.h"
#include "process/error.h"

/* Starts the range of tags anew: finds the tags that live on any rank. An agreement comes first,
 * because a rank may be in another call. If a later part fails on some ranks, others may have
 * succeeded and make their plan: so these ranks join the agreement on that. */
static int turn(struct summand__state *state)
{
    struct summand__tags *tags = &state->tags;
    struct summand__signature signature;
    uint64_t words[SUMMAND__PLAN_WORDS];
    int tag = summand__call_tag(state);
    int code = MPI_SUCCESS;
    if (!summand__tags_make_plans(tags))
        code = summand_error_code(SUMMAND_ERR_MEMORY);
    summand__sign_call(&signature, "a new turn of the tags of plans");
    code = summand__agree(state, code, &signature);
    if (code != MPI_SUCCESS) {
        summand__plan_abandon(state, tag);
        return code;
    }
    memcpy(words, tags->plans->living, sizeof words);
    summand__enter_step(state);
    code = summand__join(state, tag, words, sizeof words);
    summand__enter_step(state);
    if (code != MPI_SUCCESS)
        return summand__agree(state, code, NULL);
    memcpy(tags->plans->taken, words, sizeof words);
    tags->next_plan = 0;
    summand__stale_drop_plans(&state->channel);
    return MPI_SUCCESS;
}

int summand__plan_tag(struct summand__state *state, int *tag)
{
    struct summand__tags *tags = &state->tags;
    int code = summand__agree_earlier(state);
    if (code != MPI_SUCCESS || summand__tags_plan(tags, tag))
        return code;
    code = turn(state);
    if (code != MPI_SUCCESS) /* `next_plan` is at the end: all ranks begin the range again */
        return code;
    return summand__tags_plan(tags, tag) ? MPI_SUCCESS : summand_error_code(SUMMAND_ERR_MEMORY);
}

int summand__plan_make_together(struct summand__state *state, int code,
                                const struct summand__plan_parts *parts, summand_plan **plan)
{
    *plan = NULL;
    if (code == MPI_SUCCESS)
        code = summand__plan_make(state, parts, plan);
    else
        parts->hooks->drop(parts->work);
    code = summand__agree(state, code, NULL);
    summand__plan_abandon(state, parts->tag);
    if (code != MPI_SUCCESS)
        summand_plan_free(plan);
    return code;
}
