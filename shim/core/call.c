/* SPDX-License-Identifier: BSD-3-Clause */
/* The way of each intercepted call: watched, served or passed on. */
#include <string.h>

#include "core/shim.h"
#include "process/error.h"

/* With ints and with large counts. */
static const char *const names[SHIM_COLLECTIVE_COUNT][2][SHIM_FORM_COUNT] = {
#define NAME(Name, name, id, ...)                                                                  \
    [SHIM_##id] = {{"MPI_" #Name, "MPI_I" #name, "MPI_" #Name "_init"},                            \
                   {"MPI_" #Name "_c", "MPI_I" #name "_c", "MPI_" #Name "_init_c"}},
    SHIM_COLLECTIVES(NAME)
#undef NAME
};

const char *shim_name(const struct shim_call *call)
{
    return names[call->collective][call->large][call->form];
}

/* True if this call is one that a promise is about. Where an inter-communicator's root is
 * elsewhere, MPI ignores the arguments. */
static bool may_round(const struct shim_call *call)
{
    const struct shim_comm *comm = call->comm;
    return call->number && shim_combines(call->collective) && (comm->inter || comm->size > 1) &&
           !(comm->inter && call->collective == SHIM_REDUCE && call->root == MPI_PROC_NULL) &&
           shim_elements(call) > 0 && shim_may_round(call->op, call->recvtype);
}

void shim_aside(const char *name, bool combines, MPI_Op op, MPI_Datatype type, const void *caller)
{
    if (shim_depth || !combines || !shim_may_round(op, type))
        return;
    if (!shim_state.runs)
        shim_session_passes(name, true, caller, -1);
    if (!shim_state.runs || shim_is_inside(caller))
        return;
    shim_depth++;
    const char *reason = strstr(name, "local") ? "the program's own order" : "one-sided: no order";
    if (shim_state.strict)
        shim_end_strictly(name, reason, caller, 0);
    watch_aside(name, reason, shim_site(caller));
    shim_depth--;
}

static void pass_in_session(struct shim_call *call)
{
    struct shim_comm comm = {.comm = call->handle};
    int inter = 0;
    if (call->handle == MPI_COMM_NULL)
        return;
    PMPI_Comm_rank(call->handle, &comm.rank);
    PMPI_Comm_size(call->handle, &comm.size);
    PMPI_Comm_test_inter(call->handle, &inter);
    comm.inter = inter;
    call->comm = &comm;
    call->number = 1;
    shim_session_passes(shim_name(call), may_round(call), call->caller, comm.rank);
    call->comm = NULL;
    call->number = 0;
}

bool shim_begin(struct shim_call *call)
{
    int *depth = &shim_depth;  /* the library is loaded late, so each look is a call */
    __asm__("" : "+r"(depth)); /* gcc keeps it */
    if (!shim_state.runs && shim_state.sessions && !shim_state.said && !*depth)
        pass_in_session(call);
    if (*depth || !shim_state.runs || shim_is_inside(call->caller))
        return false;
    ++*depth;
    call->open = true;
    call->comm = shim_comm_of(call->handle);
    const bool rejected = call->comm && shim_is_rejected(call);
    if (call->comm && !rejected) {
        call->number = ++call->comm->calls;
        call->comm->blocking += call->form == SHIM_BLOCKING;
    }
    call->rounds = (shim_state.watches || shim_state.strict) && may_round(call);
    if (shim_state.watches) {
        call->caller = shim_site(call->caller);
        watch_begin(call);
    }
    if (!call->comm)
        call->reason = "no communicator";
    else if (rejected)
        call->reason = "a wrong argument";
    else if (call->comm->size == 1 && !call->comm->inter)
        call->reason = "one rank";
    else if (shim_state.ends)
        call->reason = "in MPI_Finalize";
    else if (shim_state.sessions && call->form == SHIM_BLOCKING)
        call->reason = "a session is open";
    else
        call->served = shim_serve(call);
    if (shim_state.strict && call->rounds && !(call->served && call->promised))
        shim_end_strictly(shim_name(call), call->reason ? call->reason : "the rule says fast",
                          call->caller, call->comm->rank);
    --*depth; /* an error handler of the program may never return here */
    if (call->served && call->form == SHIM_BLOCKING && !call->comm->inter)
        /* else the MPI has raised it */
        summand__raise(shim_name(call), call->handle, call->code);
    return call->served;
}

int shim_end(struct shim_call *call, int code)
{
    if (!call->open || !shim_state.watches)
        return code;
    shim_depth++;
    call->code = code;
    watch_end(call);
    shim_depth--;
    return code;
}
