#include "collective/operation.h"

#include <stdlib.h>
#include <string.h>

#include "algorithm/call.h"
#include "collective/arguments.h"
#include "collective/work.h"
#include "comm/error.h"
#include "op/predefined.h"
#include "plan/active.h"
#include "plan/agree.h"

/* Plans of blocking calls: as many as a loop over a few arrays needs. */
enum { CACHED = 8 };

/* A plan, and the request that it was bound to last. */
struct cached_plan {
    summand_plan *plan;
    struct summand__request request; /* its options are `options` */
    summand_options options;
    struct summand__datatypes types;
    bool simple; /* a call with the same handles, counts and options is the same call */
};

struct cache {
    struct summand__cache head;
    struct cached_plan *cached[CACHED]; /* made one by one */
    int next;
};

static void drop_cache(struct summand__cache *head)
{
    struct cache *cache = (struct cache *)head;
    for (int i = 0; i < CACHED && cache->cached[i]; i++) {
        summand_plan_free(&cache->cached[i]->plan);
        free(cache->cached[i]);
    }
    free(cache);
}

static struct cache *cache_of(struct summand__state *state)
{
    static const char owner;
    return summand__state_cache(state, &owner, sizeof(struct cache), drop_cache);
}

static int bind(summand_plan *plan, const struct summand__request *request,
                const struct summand__datatypes *types)
{
    struct summand__collective_work *work = plan->work;
    int code = summand__work_bind(work, request, types);
    if (code == MPI_SUCCESS)
        summand__plan_rebind(plan, summand__work_sendbuf(work, types),
                             summand__work_recvbuf(work, types),
                             work->vector.bytes ? MPI_BYTE : work->vector.layout.datatype);
    return code;
}

/* The request that was bound last, with other buffers. */
static void bind_buffers(summand_plan *plan, const struct summand__request *request,
                         const struct summand__datatypes *types)
{
    struct summand__collective_work *work = plan->work;
    work->request.sendbuf = request->sendbuf;
    work->request.recvbuf = request->recvbuf;
    summand__plan_move(plan, summand__work_sendbuf(work, types),
                       summand__work_recvbuf(work, types));
}

/* What will run. */
static struct summand__choice choice_of(const struct summand__shape *shape,
                                        const struct summand__call *call)
{
    struct summand__call complete = summand__call_complete(shape->algorithm, call);
    struct summand__choice choice = {.algorithm = shape->algorithm};
    memcpy(choice.parameter, complete.parameter, sizeof choice.parameter);
    return choice;
}

/* A plan with the request's buffers bound. One that outlives the call holds datatypes of its own.
 */
static int make(struct summand__state *state, const struct summand__request *request,
                struct summand__datatypes *types, const struct summand__shape *shape, int tag,
                bool outlives, summand_plan **plan)
{
    struct summand__schedule schedule;
    *plan = NULL;
    struct summand__collective_work *work = summand__work_make(state, request, shape, types, tag);
    if (!work)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    if (!summand__build(shape->algorithm, &work->call, &schedule)) {
        summand__collective_hooks.drop(work);
        return summand_error_code(SUMMAND_ERR_MEMORY);
    }
    summand__schedule_trim(&schedule);
    struct summand__plan_parts parts = {.tag = tag,
                                        .operator= summand__vector_operator(&work->vector),
                                        .datatype = MPI_BYTE,
                                        .schedule = &schedule,
                                        .choice = choice_of(shape, &work->call),
                                        .hooks = &summand__collective_hooks,
                                        .work = work};
    int code = summand__plan_make(state, &parts, plan);
    if (code == MPI_SUCCESS && outlives)
        code = summand__work_hold(work, types);
    if (code == MPI_SUCCESS)
        code = bind(*plan, request, types);
    if (code != MPI_SUCCESS)
        summand_plan_free(plan);
    return code;
}

/* Handles of MPI's own are never freed and made anew for something else; all other things that a
 * request refers to may have changed. */
static bool is_simple(const struct summand__request *request)
{
    bool gathers = summand__request_gathers(request);
    return !summand__has_offsets(request->collective) &&
           summand__datatype_predefined(request->datatype) &&
           (!gathers || summand__datatype_predefined(request->sendtype)) &&
           (!summand__has_operator(request->collective) || summand__op_predefined(request->op));
}

static bool same_name(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* What the caller who gives none asks for. */
static const summand_options no_options;

static bool same_options(const summand_options *a, const summand_options *b)
{
    if (!a)
        a = &no_options;
    return same_name(a->algorithm, b->algorithm) && a->segment == b->segment &&
           a->radix == b->radix && a->node_size == b->node_size && a->leaders == b->leaders &&
           a->radix_between == b->radix_between && a->promise == b->promise && a->timeout >= 0;
}

static bool repeats(const struct cached_plan *cached, const struct summand__request *request)
{
    const struct summand__request *last = &cached->request;
    return cached->plan && cached->simple && last->collective == request->collective &&
           last->count == request->count && last->datatype == request->datatype &&
           last->op == request->op && last->root == request->root &&
           same_options(request->options, &cached->options) &&
           (last->sendbuf == MPI_IN_PLACE) == (request->sendbuf == MPI_IN_PLACE) &&
           last->sendcount == request->sendcount && last->sendtype == request->sendtype;
}

/* A call that has been made before, with other buffers perhaps: nothing is looked up and nothing is
 * chosen. NULL if there is none. */
static struct cached_plan *find_repeated(struct summand__state *state,
                                         const struct summand__request *request)
{
    struct cache *cache = cache_of(state);
    for (int i = 0; cache && i < CACHED && cache->cached[i]; i++)
        if (repeats(cache->cached[i], request))
            return cache->cached[i];
    return NULL;
}

/* The caller's options and the name in them may be gone by the next call. */
static void keep(struct cached_plan *cached, const struct summand__request *request,
                 const struct summand__datatypes *types, const struct summand__algorithm *asked)
{
    cached->request = *request;
    cached->options = request->options ? *request->options : no_options;
    cached->options.algorithm = asked ? asked->name : NULL;
    cached->request.options = &cached->options;
    cached->types = *types;
    cached->simple = is_simple(request);
}

static int find(struct summand__state *state, const struct summand__request *request,
                struct cached_plan **found)
{
    struct summand__datatypes types;
    struct summand__shape shape;
    struct cache *cache = cache_of(state);
    if (!cache)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    int code = summand__shape_read(request, state, &types, &shape);
    for (int i = 0; i < CACHED && cache->cached[i] && code == MPI_SUCCESS; i++) {
        struct cached_plan *cached = cache->cached[i];
        struct summand__collective_work *work = cached->plan ? cached->plan->work : NULL;
        if (!work ||
            !summand__shape_serves(&work->shape, &shape, request, types.unit, state->ranks))
            continue;
        *found = cached;
        keep(cached, request, &types, shape.asked);
        return bind(cached->plan, request, &types);
    }
    if (code == MPI_SUCCESS)
        code = summand__shape_choose(request, state, &types, &shape);
    if (code != MPI_SUCCESS)
        return code;
    summand_plan *plan;
    code = make(state, request, &types, &shape, 0, false, &plan);
    if (code != MPI_SUCCESS)
        return code;
    struct cached_plan *slot = cache->cached[cache->next];
    if (!slot && !(slot = cache->cached[cache->next] = calloc(1, sizeof *slot))) {
        summand_plan_free(&plan);
        return summand_error_code(SUMMAND_ERR_MEMORY);
    }
    summand_plan_free(&slot->plan);
    cache->next = (cache->next + 1) % CACHED;
    slot->plan = plan;
    keep(slot, request, &types, shape.asked);
    *found = slot;
    return MPI_SUCCESS;
}

static const unsigned char entered[SUMMAND__COLLECTIVES] = {
    [SUMMAND__COLL_REDUCE] = SUMMAND__ENTERED_REDUCE,
    [SUMMAND__COLL_ALLREDUCE] = SUMMAND__ENTERED_ALLREDUCE,
    [SUMMAND__COLL_BCAST] = SUMMAND__ENTERED_BCAST,
    [SUMMAND__COLL_REDUCE_SCATTER_BLOCK] = SUMMAND__ENTERED_REDUCE_SCATTER_BLOCK,
    [SUMMAND__COLL_REDUCE_SCATTER] = SUMMAND__ENTERED_REDUCE_SCATTER,
    [SUMMAND__COLL_ALLGATHER] = SUMMAND__ENTERED_ALLGATHER,
    [SUMMAND__COLL_ALLGATHERV] = SUMMAND__ENTERED_ALLGATHERV};

static double timeout_of(const struct summand__request *request)
{
    return request->options ? request->options->timeout : 0;
}

/* What an agreement is about, for who waits there in vain. */
static void ask(struct summand__state *state, const struct summand__request *request)
{
    state->asked.timeout = request ? timeout_of(request) : 0;
    state->asked.describe = request ? summand__request_describe : NULL;
    state->asked.what = request;
}

/* Where SUMMAND_CHECK is on: `code` of one rank, or what differs, is an error of all. */
static int check(struct summand__state *state, const struct summand__request *request, int code,
                 const struct cached_plan *cached)
{
    struct summand__signature signature = {.count = 0};
    if (code == MPI_SUCCESS) {
        const struct summand__collective_work *work = cached->plan->work;
        summand__request_sign(&signature, request, &work->shape, state, false);
    }
    ask(state, request);
    code = summand__agree(state, code, &signature);
    ask(state, NULL);
    return code;
}

int summand__collective_run(const struct summand__request *request, MPI_Comm comm)
{
    struct summand__state *state;
    int code = summand__state_of(comm, &state);
    if (code != MPI_SUCCESS)
        return summand__raise(summand__request_call(request, false), comm, code);
    summand__enter(state, entered[request->collective]);
    int tag = summand__call_tag(state);
    struct cached_plan *cached = find_repeated(state, request);
    if (cached) {
        code = summand__request_check_buffers(request, state);
        if (code == MPI_SUCCESS)
            bind_buffers(cached->plan, request, &cached->types);
    } else {
        code = summand__request_check(request, state);
        if (code == MPI_SUCCESS)
            code = find(state, request, &cached);
    }
    if (state->checks) {
        code = check(state, request, code, cached);
        tag = summand__tags_last_call(&state->tags); /* in step now */
    }
    if (code == MPI_SUCCESS) {
        summand__route_tag(&cached->plan->route, tag);
        cached->plan->watch.timeout = timeout_of(request);
        code = summand__plan_run_cached(&cached->plan);
    } else if (!state->checks || state->parted) {
        summand__active_take(state);
        summand__route_abort(state, tag);
    }
    return summand__raise(summand__request_call(request, false), comm, code);
}

int summand__collective_init(const struct summand__request *request, MPI_Comm comm,
                             summand_plan **plan)
{
    struct summand__state *state;
    struct summand__datatypes types;
    struct summand__shape shape;
    struct summand__signature signature = {.count = 0};
    summand_plan *made = NULL;
    const char *call = summand__request_call(request, true);
    int code = summand__state_of(comm, &state);
    if (code != MPI_SUCCESS)
        return summand__raise(call, comm, code);
    int tag;
    summand__enter(state, entered[request->collective] | SUMMAND__ENTERED_INIT);
    ask(state, request);
    if (plan)
        *plan = NULL;
    code = summand__plan_tag(state, &tag);
    if (code != MPI_SUCCESS) {
        ask(state, NULL);
        return summand__raise(call, comm, code);
    }
    code = plan ? summand__request_check(request, state) : summand_error_code(SUMMAND_ERR_ARGUMENT);
    if (code == MPI_SUCCESS)
        code = summand__shape_read(request, state, &types, &shape);
    if (code == MPI_SUCCESS)
        code = summand__shape_choose(request, state, &types, &shape);
    if (code == MPI_SUCCESS) {
        summand__request_sign(&signature, request, &shape, state, true);
        code = make(state, request, &types, &shape, tag, true, &made);
    }
    code = summand__agree(state, code, &signature);
    summand__plan_abandon(state, tag);
    ask(state, NULL);
    if (code != MPI_SUCCESS)
        summand_plan_free(&made);
    else
        made->watch.timeout = timeout_of(request);
    if (plan)
        *plan = made;
    return summand__raise(call, comm, code);
}
