/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting and making requests. */
#include <sched.h>
#include <stdlib.h>

#include "collective/reduction.h"
#include "core/request_list.h"
#include "core/shim.h"
#include "op/predefined.h"
#include "plan/active.h"
#include "process/error.h"

/* Derived datatypes become ours. */
static int own_types(struct shim_request *request, struct summand__operation *operation)
{
    MPI_Datatype *const types[] = {&operation->datatype, &operation->sendtype};
    const int count = summand__gathers(operation->collective) ? 2 : 1;
    int code = MPI_SUCCESS;
    for (int i = 0; i < count && code == MPI_SUCCESS; i++) {
        if (i && operation->sendbuf == MPI_IN_PLACE)
            continue;
        if (*types[i] == MPI_DATATYPE_NULL || summand__datatype_predefined(*types[i]))
            continue;
        code = PMPI_Type_dup(*types[i], &request->own[i]);
        if (code == MPI_SUCCESS)
            *types[i] = request->own[i];
    }
    return code;
}

/* Before a call takes a tag: an older request with a near one must be over. This waits only for a
 * request that is thousands of calls old. */
static void keep_up(const struct summand__state *state)
{
    enum { MOST = SUMMAND__CALL_TAGS / 4 };
    for (bool old = true; old;) {
        old = false;
        for (const struct shim_request *r = shim_lists.active; r && !old; r = r->next)
            old =
                !r->persistent && r->run.plan->state == state && state->tags.calls - r->call > MOST;
        if (old && !shim_list_move(true))
            sched_yield();
    }
}

void shim_requests_hold(struct shim_comm *comm)
{
    struct summand__state *state;
    if (!comm->plans)
        return;
    shim_list_enter();
    if (summand__state_of(comm->comm, &state) == MPI_SUCCESS)
        keep_up(state);
    comm->held = true;
    shim_list_leave();
}

void shim_requests_release(struct shim_comm *comm)
{
    if (!comm->held)
        return;
    shim_list_enter();
    comm->held = false;
    shim_list_leave();
}

static int start(struct shim_request *request, const struct summand__operation *given)
{
    struct summand__operation operation = *given;
    int code = own_types(request, &operation);
    if (code == MPI_SUCCESS)
        code = PMPI_Irecv(NULL, 0, MPI_BYTE, 0, request->tag, shim_lists.self, &request->handle);
    return summand__reduction_start(&operation, request->on, code, &request->run);
}

int shim_request_start(struct shim_call *call, const struct summand__operation *operation,
                       void *copy)
{
    struct summand__state *state;
    struct summand__started none;
    shim_list_enter();
    shim_list_reclaim(); /* the plan of the last call may be this one's */
    summand__raises_none = true;
    int code = summand__state_of(call->handle, &state);
    if (code == MPI_SUCCESS)
        keep_up(state);
    struct shim_request *request = shim_request_new(call);
    if (request) {
        request->copy = copy;
        code = start(request, operation);
    } else {
        free(copy);
        code = summand__reduction_start(operation, call->handle,
                                        summand_error_code(SUMMAND_ERR_MEMORY), &none);
    }
    summand__raises_none = false;
    if (request && code == MPI_SUCCESS) {
        const summand_plan *plan = request->run.plan;
        call->algorithm = plan->choice.algorithm ? plan->choice.algorithm->name : NULL;
        call->transport = plan->route.link->transport->name;
        *call->request = request->handle;
        shim_request_activate(request);
    } else if (request) {
        if (request->handle != MPI_REQUEST_NULL) {
            shim_request_meet(request);
            shim_request_drop_handle(request);
        }
        shim_list_push(&shim_lists.spent, request);
    }
    shim_list_leave();
    return code;
}

int shim_request_make(struct shim_call *call, const struct summand__operation *operation,
                      const void *copy)
{
    struct summand__operation told = *operation;
    shim_list_enter();
    struct shim_request *request = shim_request_new(call);
    summand_plan *plan = NULL;
    int code = !request ? summand_error_code(SUMMAND_ERR_MEMORY)
               : copy   ? MPI_ERR_BUFFER /* its contents change */
                        : own_types(request, &told);
    if (code == MPI_SUCCESS)
        code =
            PMPI_Recv_init(NULL, 0, MPI_BYTE, 0, request->tag, shim_lists.self, &request->handle);
    shim_list_leave();
    /* The others wait for this rank: an error of its own becomes one of all. */
    if (code != MPI_SUCCESS)
        told.count = -1, told.counts = (struct summand__numbers){.wide = NULL};
    shim_depth++;
    summand__raises_none = true;
    const int made = summand__reduction_init(&told, call->handle, &plan);
    summand__raises_none = false;
    shim_depth--;
    code = code == MPI_SUCCESS ? made : code;
    shim_list_enter();
    if (request && code == MPI_SUCCESS) {
        request->persistent = true;
        atomic_fetch_add(&shim_persistent, 1);
        request->run.plan = plan;
        call->algorithm = plan->choice.algorithm ? plan->choice.algorithm->name : NULL;
        call->transport = plan->route.link->transport->name;
        *call->request = request->handle;
        shim_list_push(&shim_lists.inactive, request);
    } else if (request) {
        if (request->handle != MPI_REQUEST_NULL)
            PMPI_Request_free(&request->handle);
        shim_list_push(&shim_lists.spent, request);
    }
    shim_list_leave();
    return code;
}

bool shim_request_begin(MPI_Request handle, int *code)
{
    shim_list_enter();
    struct shim_request *request = shim_list_find(shim_lists.inactive, handle);
    if (request && (*code = PMPI_Start(&request->handle)) == MPI_SUCCESS) {
        shim_list_take(&shim_lists.inactive, request);
        summand__active_take(request->run.plan->state);
        summand__enter_start(request->run.plan->state);
        const int begun = summand__plan_begin(request->run.plan);
        shim_request_activate(request);
        if (begun != MPI_SUCCESS) /* the call that completes it says so */
            shim_request_end(shim_list_take(&shim_lists.active, request), begun);
    }
    shim_list_leave();
    return request;
}
