/* SPDX-License-Identifier: BSD-3-Clause */
#include "collective/run.h"

#include <stdlib.h>
#include <string.h>

#include "collective/arguments.h"
#include "comm/error.h"
#include "kernel/fpenv.h"
#include "plan/active.h"
#include "plan/agree.h"
#include "plan/cache.h"

/* Plans of blocking calls. */
static struct summand__plan_cache *cache_of(struct summand__state *state)
{
    static const char owner;
    return summand__plan_cache_of(state, &owner);
}

static int bind(summand_plan *plan, const struct summand__collective_work *draft)
{
    struct summand__collective_work *work = plan->work;
    int code = summand__work_bind(work, draft);
    if (code == MPI_SUCCESS)
        summand__plan_rebind(plan, summand__work_sendbuf(work), summand__work_recvbuf(work),
                             work->vector.bytes ? MPI_BYTE : work->vector.layout.datatype);
    return code;
}

/* The operation that was bound last, with other buffers or the same ones, which were checked then.
 */
static int bind_buffers(summand_plan *plan, const struct summand__operation *operation)
{
    struct summand__collective_work *work = plan->work;
    if (work->operation.sendbuf == operation->sendbuf &&
        work->operation.recvbuf == operation->recvbuf)
        return MPI_SUCCESS;
    int code = summand__operation_check_buffers(operation, plan->state, &work->types);
    if (code != MPI_SUCCESS)
        return code;
    work->operation.sendbuf = operation->sendbuf;
    work->operation.recvbuf = operation->recvbuf;
    summand__plan_move(plan, summand__work_sendbuf(work), summand__work_recvbuf(work));
    return MPI_SUCCESS;
}

/* A plan with the draft's buffers bound. One that outlives the call holds datatypes of its own. */
static int make(struct summand__state *state, struct summand__collective_work *draft,
                const struct summand__choice *choice, int tag, bool outlives, summand_plan **plan)
{
    struct summand__schedule schedule;
    *plan = NULL;
    struct summand__collective_work *work = summand__work_make(state, draft, tag);
    if (!work)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    if (!summand__build(choice->algorithm, &work->call, &schedule)) {
        summand__collective_hooks.drop(work);
        return summand_error_code(SUMMAND_ERR_MEMORY);
    }
    summand__schedule_trim(&schedule);
    struct summand__call complete = summand__call_complete(choice->algorithm, &work->call);
    struct summand__plan_parts parts = {.tag = tag,
                                        .operator= summand__vector_operator(&work->vector),
                                        .datatype = MPI_BYTE,
                                        .schedule = &schedule,
                                        .choice = {.algorithm = choice->algorithm},
                                        .hooks = &summand__collective_hooks,
                                        .work = work};
    memcpy(parts.choice.parameter, complete.parameter, sizeof complete.parameter);
    int code = summand__plan_make(state, &parts, plan);
    if (code == MPI_SUCCESS && outlives)
        code = summand__work_hold(work, draft);
    if (code == MPI_SUCCESS)
        code = bind(*plan, draft);
    if (code != MPI_SUCCESS)
        summand_plan_free(plan);
    return code;
}

/* Which plan it is does not depend on the time that a call has. */
static bool same_options(const struct summand__collective_work *work,
                         const summand_options *options)
{
    return options ? summand__options_alike(options, &work->options) && options->timeout >= 0
                   : work->default_options;
}

static bool repeats(const void *work, const void *wanted)
{
    const struct summand__collective_work *own = work;
    const struct summand__operation *last = &own->operation, *operation = wanted;
    return own->simple && last->collective == operation->collective &&
           last->count == operation->count && last->datatype == operation->datatype &&
           last->op == operation->op && last->root == operation->root &&
           same_options(own, operation->options) &&
           (last->sendbuf == MPI_IN_PLACE) == (operation->sendbuf == MPI_IN_PLACE) &&
           last->sendcount == operation->sendcount && last->sendtype == operation->sendtype;
}

/* A call that has been made before, with other buffers perhaps: nothing is looked up and nothing is
 * chosen. NULL if there is none. */
static summand_plan **find_repeated(struct summand__state *state,
                                    const struct summand__operation *operation)
{
    struct summand__plan_cache *cache = cache_of(state);
    return cache ? summand__plan_cache_find(cache, repeats, operation) : NULL;
}

static bool serves(const void *work, const void *draft)
{
    return summand__work_serves(work, draft);
}

static int find(struct summand__state *state, const struct summand__operation *operation,
                summand_plan ***found)
{
    struct summand__collective_work draft;
    struct summand__choice choice;
    summand_plan *plan;
    struct summand__plan_cache *cache = cache_of(state);
    if (!cache)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    int code = summand__work_read(&draft, operation, state);
    if (code != MPI_SUCCESS)
        return code;
    *found = summand__plan_cache_find(cache, serves, &draft);
    if (*found)
        return bind(**found, &draft);
    code = summand__work_choose(&draft, state, &choice);
    if (code == MPI_SUCCESS)
        code = make(state, &draft, &choice, 0, false, &plan);
    if (code == MPI_SUCCESS)
        *found = summand__plan_cache_keep(cache, plan);
    return code;
}

static double timeout_of(const struct summand__operation *operation)
{
    return operation->options ? operation->options->timeout : 0;
}

/* What an agreement is about, for the message of a stuck rank. */
static void ask(struct summand__state *state, const struct summand__operation *operation)
{
    state->asked.timeout = operation ? timeout_of(operation) : 0;
    state->asked.describe = operation ? summand__operation_describe : NULL;
    state->asked.what = operation;
}

/* Where SUMMAND_CHECK is on: `code` of one rank, or what differs, is an error of all. */
static int check(struct summand__state *state, const struct summand__operation *operation, int code,
                 const summand_plan *plan)
{
    struct summand__signature signature = {.count = 0};
    if (code == MPI_SUCCESS)
        summand__work_sign(&signature, plan->work, plan->choice.algorithm, state, false);
    ask(state, operation);
    code = summand__agree(state, code, &signature);
    ask(state, NULL);
    return code;
}

int summand__collective_run(const struct summand__operation *operation, MPI_Comm comm)
{
    SUMMAND__IN_DEFAULT_FPENV;
    struct summand__state *state;
    const char *call = summand__collectives[operation->collective].call;
    int code = summand__state_of(comm, &state);
    if (code != MPI_SUCCESS)
        return summand__raise(call, comm, code);
    summand__enter(state, SUMMAND__ENTERED_COLLECTIVE + operation->collective);
    int tag = summand__call_tag(state);
    summand_plan **plan = find_repeated(state, operation);
    if (plan) {
        code = bind_buffers(*plan, operation);
    } else {
        code = summand__operation_check(operation, state);
        if (code == MPI_SUCCESS)
            code = find(state, operation, &plan);
    }
    if (state->checks)
        code = check(state, operation, code, plan ? *plan : NULL);
    if (code == MPI_SUCCESS) {
        summand__route_tag(&(*plan)->route, tag);
        (*plan)->watch.timeout = timeout_of(operation);
        code = summand__plan_run_cached(plan);
    } else if (!state->checks || state->parted) {
        summand__active_take(state);
        summand__route_abort(state, tag);
    }
    return summand__raise(call, comm, code);
}

int summand__collective_init(const struct summand__operation *operation, MPI_Comm comm,
                             summand_plan **plan)
{
    SUMMAND__IN_DEFAULT_FPENV;
    struct summand__state *state;
    struct summand__collective_work draft;
    struct summand__choice choice;
    struct summand__signature signature = {.count = 0};
    summand_plan *made = NULL;
    const char *call = summand__collectives[operation->collective].init;
    int code = summand__state_of(comm, &state);
    if (code != MPI_SUCCESS)
        return summand__raise(call, comm, code);
    summand__enter(state,
                   (SUMMAND__ENTERED_COLLECTIVE + operation->collective) | SUMMAND__ENTERED_INIT);
    ask(state, operation);
    if (plan)
        *plan = NULL;
    code = plan ? summand__operation_check(operation, state)
                : summand__refuse(SUMMAND_ERR_ARGUMENT, "plan is NULL");
    int tag, untagged = summand__plan_tag(state, &tag);
    if (untagged != MPI_SUCCESS) {
        ask(state, NULL);
        return summand__raise(call, comm, code != MPI_SUCCESS ? code : untagged);
    }
    if (code == MPI_SUCCESS)
        code = summand__work_read(&draft, operation, state);
    if (code == MPI_SUCCESS)
        code = summand__work_choose(&draft, state, &choice);
    if (code == MPI_SUCCESS) {
        summand__work_sign(&signature, &draft, choice.algorithm, state, true);
        code = make(state, &draft, &choice, tag, true, &made);
    }
    code = summand__agree(state, code, &signature);
    summand__plan_abandon(state, tag);
    ask(state, NULL);
    if (code != MPI_SUCCESS)
        summand_plan_free(&made);
    else
        made->watch.timeout = timeout_of(operation);
    if (plan)
        *plan = made;
    return summand__raise(call, comm, code);
}
