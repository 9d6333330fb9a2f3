/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/call.h"

#include "plan/active.h"
#include "plan/agree.h"

/* Tells agreements their timeout, and the call's description for reports of stuck ranks. */
static void ask(const struct summand__plan_call *call, int code)
{
    struct summand__state *state = call->state;
    state->asked.timeout = call->timeout;
    state->asked.describe = code == MPI_SUCCESS ? call->kind->describe : NULL;
    state->asked.what = call->asked;
}

static void end_asking(struct summand__state *state)
{
    state->asked.timeout = 0;
    state->asked.describe = NULL;
}

/* Agreements, also those in `meet` and `make`, may complete one that this rank had left, which
 * brings the tags of calls in step. So a blocking call continues with the tag that all ranks have.
 * The tag of a plan does not change. */
static void follow_tags(struct summand__plan_call *call)
{
    if (!call->init)
        call->tag = summand__call_tag(call->state);
}

/* Agrees: `code` of one rank, or a different argument, is an error of all. */
static int agree(struct summand__plan_call *call, int code, bool signs)
{
    struct summand__signature signature = {.count = 0};
    if (code == MPI_SUCCESS)
        code = call->error;
    if (code == MPI_SUCCESS && signs)
        call->kind->sign(call, &signature);
    code = summand__agree(call->state, code, &signature);
    call->told = code != MPI_SUCCESS && !call->state->parted;
    follow_tags(call);
    return code;
}

/* Finds a cached plan, unless `meet` has found one. */
static void find(struct summand__plan_call *call)
{
    const struct summand__call_kind *kind = call->kind;
    if (!call->plan && call->cache && !kind->together)
        call->plan = summand__plan_cache_find(call->cache, kind->serves, call->asked);
}

static int make(struct summand__plan_call *call, int code)
{
    summand__plan_cache_make_room(call->cache, call->kind->bytes);
    code = call->kind->make(call, code, &call->made);
    follow_tags(call);
    call->told |= call->kind->together;
    if (code == MPI_SUCCESS)
        call->plan = summand__plan_cache_keep(call->cache, &call->made, call->kind->bytes,
                                              call->kind->keeps_newest);
    return code;
}

/* Runs `meet`, as its own step if an agreement follows: a rank that fails here still joins that. */
static int meet(struct summand__plan_call *call, int code, bool step)
{
    if (step)
        summand__enter_step(call->state);
    code = call->kind->meet(call, code);
    follow_tags(call);
    if (step)
        summand__enter_step(call->state);
    return code;
}

/* Finds or makes a plan for the call. */
static int prepare(struct summand__plan_call *call, int code)
{
    const struct summand__call_kind *kind = call->kind;
    const bool agrees = !kind->together && (call->init || call->agrees || call->state->checks);
    if (!call->init && kind->serves)
        call->cache = summand__plan_cache_of(call->state, kind);
    if (kind->meet && agrees) {
        code = agree(call, code, true);
        if (code != MPI_SUCCESS)
            return code;
    }
    if (kind->meet)
        code = meet(call, code, agrees && call->init);
    if (code == MPI_SUCCESS)
        find(call);
    if (code == MPI_SUCCESS && call->plan)
        code = kind->rebind(call, *call->plan);
    else if (code == MPI_SUCCESS || (kind->together && !call->told))
        code = make(call, code);
    if (agrees && (call->init || !kind->meet))
        code = agree(call, code, !kind->meet);
    return code;
}

int summand__call_abort(struct summand__plan_call *call, int code)
{
    call->state->refused = true;
    summand__active_take(call->state);
    summand__route_abort(call->state, call->tag, code);
    return code;
}

/* Runs the plan. A rank may fail alone: if only one rank gets the result, others may have ended.
 * Ranks that have no cached plan yet may wait in an agreement on a new one, so they are told. */
static int run(struct summand__plan_call *call)
{
    summand_plan **plan = call->plan;
    summand__route_tag(&(*plan)->route, call->tag);
    (*plan)->watch.timeout = call->timeout;
    int code = summand__plan_run_cached(plan);
    if (code != MPI_SUCCESS && call->kind->explain)
        call->kind->explain(call, code);
    if (code != MPI_SUCCESS && call->kind->together && !call->told)
        summand__await_none(call->state, code);
    return code;
}

int summand__call_perform(struct summand__plan_call *call, int code)
{
    code = prepare(call, code);
    if (code == MPI_SUCCESS)
        code = run(call);
    else if (!call->told)
        code = summand__call_abort(call, code);
    return call->error == MPI_SUCCESS ? code : call->error;
}

int summand__call_anew(struct summand__plan_call *call)
{
    int code = call->kind->check(call);
    ask(call, code);
    code = summand__call_perform(call, code);
    end_asking(call->state);
    call->state->told = call->told;
    summand__call_end(call);
    return code;
}

int summand__call_init_on(struct summand__plan_call *call, summand_plan **plan)
{
    struct summand__state *state = call->state;
    call->init = true;
    summand__enter(state, call->entered | SUMMAND__ENTERED_INIT);
    int code = plan ? call->kind->check(call)
                    : summand__refuse(SUMMAND_ERR_ARGUMENT, "plan is NULL, not a place for one");
    ask(call, code);
    int tagged = summand__plan_tag(state, &call->tag);
    if (tagged == MPI_SUCCESS)
        code = prepare(call, code);
    else if (code == MPI_SUCCESS)
        code = tagged;
    if (tagged == MPI_SUCCESS)
        summand__plan_abandon(state, call->tag);
    end_asking(state);
    if (code != MPI_SUCCESS)
        summand_plan_free(&call->made);
    else
        call->made->watch.timeout = call->timeout;
    if (plan)
        *plan = call->made;
    return code;
}

int summand__call_init(struct summand__plan_call *call, MPI_Comm comm, summand_plan **plan)
{
    SUMMAND__IN_DEFAULT_FPENV;
    int code = summand__state_of(comm, &call->state);
    if (code == MPI_SUCCESS) {
        code = summand__call_init_on(call, plan);
        summand__leave(call->state);
    }
    return summand__raise(call->name, comm, code);
}
