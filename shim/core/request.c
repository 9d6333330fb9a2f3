/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/request_list.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "core/shim.h"
#include "process/error.h"

atomic_int shim_requests, shim_persistent;
_Thread_local int shim_depth;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct shim_lists shim_lists = {.self = MPI_COMM_NULL};
static int tags;         /* so many requests were made */
static MPI_Op *kept_ops; /* freed by the program while requests may use them */
static int kept;

void shim_list_enter(void)
{
    pthread_mutex_lock(&lock);
    shim_depth++;
}

void shim_list_leave(void)
{
    shim_depth--;
    pthread_mutex_unlock(&lock);
}

bool shim_requests_begin(void)
{
    shim_depth++; /* no communicator of the program's */
    const int code = PMPI_Comm_dup(MPI_COMM_SELF, &shim_lists.self);
    shim_depth--;
    return code == MPI_SUCCESS;
}

void shim_list_push(struct shim_request **list, struct shim_request *request)
{
    request->next = *list;
    *list = request;
}

struct shim_request *shim_list_take(struct shim_request **list, const struct shim_request *request)
{
    while (*list != request)
        list = &(*list)->next;
    struct shim_request *taken = *list;
    *list = taken->next;
    return taken;
}

struct shim_request *shim_list_find(struct shim_request *list, MPI_Request handle)
{
    while (list && (list->handle != handle || list->gone || handle == MPI_REQUEST_NULL))
        list = list->next;
    return list;
}

/* A request's tag stays its own, so no message meets another one's receive. */
struct shim_request *shim_request_new(const struct shim_call *call)
{
    struct shim_request *request = shim_lists.unused;
    if (request)
        shim_lists.unused = request->next;
    else if ((request = malloc(sizeof *request)))
        request->tag = tags++;
    else
        return NULL;
    *request = (struct shim_request){.handle = MPI_REQUEST_NULL,
                                     .tag = request->tag,
                                     .comm = call->comm,
                                     .on = call->handle,
                                     .own = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL}};
    request->comm->plans++;
    return request;
}

static void drop(struct shim_request *request)
{
    if (request->persistent)
        atomic_fetch_sub(&shim_persistent, 1);
    if (request->run.plan && request->run.kind)
        summand__started_return(&request->run);
    summand_plan_free(&request->run.plan);
    if (request->comm)
        request->comm->plans--;
    for (int i = 0; i < 2; i++)
        if (request->own[i] != MPI_DATATYPE_NULL)
            PMPI_Type_free(&request->own[i]);
    free(request->copy);
    shim_list_push(&shim_lists.unused, request);
}

static bool is_held(const struct shim_request *request)
{
    return request->comm && request->comm->held;
}

/* A plan is not freed or cached while a call runs on its communicator. */
void shim_list_reclaim(void)
{
    for (struct shim_request **at = &shim_lists.spent; *at;) {
        struct shim_request *request = *at;
        if (is_held(request)) {
            at = &request->next;
            continue;
        }
        *at = request->next;
        drop(request);
    }
    while (kept && !shim_lists.active && !shim_lists.inactive && !shim_lists.spent)
        PMPI_Op_free(&kept_ops[--kept]);
}

/* Lets the handle complete. The receive was posted before, so the message meets it. */
void shim_request_meet(const struct shim_request *request)
{
    if (PMPI_Send(NULL, 0, MPI_BYTE, 0, request->tag, shim_lists.self) != MPI_SUCCESS)
        PMPI_Abort(MPI_COMM_WORLD, 2); /* the program would wait for ever */
}

/* Frees a handle that is ours, once complete. In MPICH, a message to this rank itself does not meet
 * a receive that was freed before. */
void shim_request_drop_handle(struct shim_request *request)
{
    PMPI_Wait(&request->handle, MPI_STATUS_IGNORE);
    if (request->handle != MPI_REQUEST_NULL)
        PMPI_Request_free(&request->handle);
}

/* The plan is over. A result that is an error waits for the program's call. */
void shim_request_end(struct shim_request *request, int code)
{
    const bool gone = request->gone, fails = code != MPI_SUCCESS && !gone;
    request->code = fails ? summand__keep_words(code) : MPI_SUCCESS;
    if (request->comm)
        request->comm->requests--;
    shim_list_push(fails                          ? &shim_lists.failed
                   : request->persistent && !gone ? &shim_lists.inactive
                                                  : &shim_lists.spent,
                   request);
    shim_request_meet(request);
    if (gone)
        shim_request_drop_handle(request);
    if (!fails)
        atomic_fetch_sub(&shim_requests, 1);
}

bool shim_list_move(bool waits)
{
    bool moved = false;
    int code;
    for (struct shim_request **at = &shim_lists.active; *at;) {
        struct shim_request *request = *at;
        if (is_held(request) || !summand__started_poll(request->run.plan, waits, &code)) {
            at = &request->next;
            continue;
        }
        *at = request->next;
        shim_request_end(request, code);
        moved = true;
    }
    shim_list_reclaim();
    return moved;
}

/* A blocking call has progressed the plan, which is over. If another thread is here, the next poll
 * comes again: that thread may wait for this one. */
static void on_over(summand_plan *plan)
{
    int code;
    if (pthread_mutex_trylock(&lock) != 0)
        return;
    shim_depth++;
    struct shim_request *request = shim_lists.active;
    while (request && request->run.plan != plan)
        request = request->next;
    if (request && summand__started_poll(plan, true, &code))
        shim_request_end(shim_list_take(&shim_lists.active, request), code);
    shim_list_leave();
}

bool shim_requests_move(bool waits)
{
    if (pthread_mutex_trylock(&lock) != 0)
        return false; /* another thread does it */
    shim_depth++;
    const bool moved = shim_list_move(waits);
    shim_list_leave();
    return moved;
}

void shim_request_activate(struct shim_request *request)
{
    request->run.plan->over = on_over;
    request->seen = NULL;
    request->call = request->run.plan->state->tags.calls;
    if (request->comm)
        request->comm->requests++;
    shim_list_push(&shim_lists.active, request);
    atomic_fetch_add(&shim_requests, 1);
}

bool shim_request_free(MPI_Request handle)
{
    bool keeps = false;
    shim_list_enter();
    struct shim_request *request = shim_list_find(shim_lists.active, handle);
    if (request) {
        keeps = request->gone = true;
    } else if ((request = shim_list_find(shim_lists.failed, handle))) {
        shim_list_push(&shim_lists.spent, shim_list_take(&shim_lists.failed, request));
        atomic_fetch_sub(&shim_requests, 1);
    } else if ((request = shim_list_find(shim_lists.inactive, handle))) {
        shim_list_push(&shim_lists.spent, shim_list_take(&shim_lists.inactive, request));
    }
    shim_list_reclaim();
    shim_list_leave();
    return keeps;
}

bool shim_request_is_ours(MPI_Request handle)
{
    shim_list_enter();
    const bool ours = shim_list_find(shim_lists.active, handle) ||
                      shim_list_find(shim_lists.inactive, handle) ||
                      shim_list_find(shim_lists.failed, handle);
    shim_list_leave();
    return ours;
}

bool shim_request_keeps_op(MPI_Op op)
{
    bool keeps = false;
    shim_list_enter();
    MPI_Op *more = shim_lists.active || shim_lists.inactive || shim_lists.spent
                       ? realloc(kept_ops, ((size_t)kept + 1) * sizeof *more)
                       : NULL;
    if (more) {
        kept_ops = more;
        kept_ops[kept++] = op;
        keeps = true;
    }
    shim_list_leave();
    return keeps;
}

void shim_requests_comm_free(const struct shim_comm *comm)
{
    pthread_mutex_lock(&lock);
    struct shim_request *const lists[] = {shim_lists.active, shim_lists.inactive, shim_lists.failed,
                                          shim_lists.spent};
    for (int i = 0; i < 4; i++)
        for (struct shim_request *r = lists[i]; r; r = r->next)
            if (r->comm == comm) {
                r->comm = NULL;
                r->on = MPI_COMM_SELF;
            }
    pthread_mutex_unlock(&lock);
}

void shim_requests_place(const struct shim_completion *c)
{
    pthread_mutex_lock(&lock);
    for (struct shim_request *r = shim_lists.failed; r; r = r->next) {
        if (r->seen == c) /* maybe an earlier call, whose stack lay here */
            r->seen = NULL;
        for (int i = 0; i < c->count && r->seen != c; i++)
            if (c->requests[i] == r->handle) {
                r->seen = c;
                r->place = i;
            }
    }
    pthread_mutex_unlock(&lock);
}

bool shim_request_failure(const struct shim_completion *c,
                          bool (*completed)(const struct shim_completion *c, int place),
                          struct shim_failure *failure)
{
    shim_list_enter();
    struct shim_request *r = shim_lists.failed;
    while (r && (r->seen != c || !completed(c, r->place)))
        r = r->next;
    if (r) {
        *failure = (struct shim_failure){r->place, r->code, r->on};
        shim_list_take(&shim_lists.failed, r);
        r->seen = NULL;
        shim_list_push(r->persistent ? &shim_lists.inactive : &shim_lists.spent, r);
        atomic_fetch_sub(&shim_requests, 1);
    }
    shim_list_leave();
    return r;
}

void shim_requests_end(void)
{
    while (atomic_load(&shim_requests) && shim_lists.active)
        if (!shim_requests_move(true))
            sched_yield();
    shim_list_enter();
    struct shim_request **const lists[] = {&shim_lists.inactive, &shim_lists.failed,
                                           &shim_lists.spent};
    for (int i = 0; i < 3; i++)
        while (*lists[i])
            drop(shim_list_take(lists[i], *lists[i]));
    while (shim_lists.unused)
        free(shim_list_take(&shim_lists.unused, shim_lists.unused));
    free(kept_ops);
    kept_ops = NULL;
    if (shim_lists.self != MPI_COMM_NULL)
        PMPI_Comm_free(&shim_lists.self);
    shim_list_leave();
}
