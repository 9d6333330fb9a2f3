/* SPDX-License-Identifier: BSD-3-Clause */
/* The protocol of a public call that runs a plan: find or make one, agree if required, run it, and
 * tell other ranks of an error. Calls differ in a row of functions and data. */
#pragma once

#include "kernel/fpenv_call.h"
#include "plan/cache.h"
#include "plan/signature.h"
#include "process/error.h"

/* A call in progress. Its caller sets the first members. */
struct summand__plan_call {
    const struct summand__call_kind *kind;
    const char *name; /* of the public call */
    unsigned entered; /* the call, of enum summand__entered_call */
    double timeout;   /* as given, perhaps invalid */
    void *asked;      /* the arguments and results, in the kind's own struct */
    bool init;        /* the plan is made for the caller */
    bool agrees;      /* the ranks agree first, as if SUMMAND_CHECK=on */
    bool quiet;       /* an error is returned, and not raised */

    struct summand__state *state;
    int tag;
    struct summand__plan_cache *cache; /* NULL: no plan is cached */
    summand_plan **plan;               /* found or made; NULL: not yet */
    summand_plan *made;                /* one that is not cached */
    /* An error that this rank's operand tells the others: the rank takes part, then returns it. */
    int error;
    bool told; /* all others know of this rank's error, or will learn of it: no rank aborts */
};

/* A kind of calls. Functions return MPI error codes. NULL: nothing to do. */
struct summand__call_kind {
    /* True: `make` is collective, and an error before or in it on one rank is an error on all.
     * False: `make` is local, and an error aborts the call. */
    bool together;
    /* Tells if the plan of the last equal call fits this one; `repeat` sets its new buffers.
     * Nothing is checked, selected or agreed then. */
    bool (*repeats)(const void *work, const void *asked);
    int (*repeat)(summand_plan *plan, const void *asked);
    /* Checks all that this rank can know by itself. May set `error`, and succeed. */
    int (*check)(struct summand__plan_call *call);
    /* Adds the arguments that must be equal on all ranks. The call has no error and has its plan,
     * unless there is `meet`. */
    void (*sign)(const struct summand__plan_call *call, struct summand__signature *signature);
    /* Describes valid arguments in a report of a stuck rank: struct summand__watch. */
    void (*describe)(const void *asked, char *text, size_t room);
    /* Exchanges facts between ranks before there can be a plan; `code` is this rank's so far. Sets
     * `told`, and `plan` if all ranks can run a cached one. */
    int (*meet)(struct summand__plan_call *call, int code);
    /* Tells if a cached plan's work fits the call, as far as this rank can know; `rebind` sets its
     * arguments. Without `serves` no plan is cached. */
    bool (*serves)(const void *work, const void *asked);
    int (*rebind)(const struct summand__plan_call *call, summand_plan *plan);
    /* Makes a plan. With `together`: called on every rank that has not been told of an error;
     * `code` is its own so far. Sets `told`. */
    int (*make)(struct summand__plan_call *call, int code, summand_plan **plan);
    /* Explains an error of the run. */
    void (*explain)(const struct summand__plan_call *call, int code);
    /* The memory of a plan; NULL: so little that any is cached. */
    size_t (*bytes)(const void *work);
    /* The newest plan is cached whatever its size: making one takes a large part of a call. */
    bool keeps_newest;
};

/* Finds or makes a plan, and runs it, for a call that has been entered and checked with this code.
 * Also serves as one step of another call. The plan stays in place until summand__call_end. */
int summand__call_perform(struct summand__plan_call *call, int code);
static inline void summand__call_end(struct summand__plan_call *call)
{
    summand_plan_free(&call->made);
}

/* Aborts after an error of this rank that others do not know. Returns the code. */
int summand__call_abort(struct summand__plan_call *call, int code);

/* The rest of summand__call_on if no plan repeats. */
int summand__call_anew(struct summand__plan_call *call);

/* A blocking call on a state. Short calls take as long as a few of these instructions, so the
 * function is inlined with its kind's functions. */
static inline int summand__call_on(struct summand__plan_call *call)
{
    const struct summand__call_kind *kind = call->kind;
    struct summand__state *state = call->state;
    summand_plan **plan = NULL;
    summand__enter(state, call->entered);
    call->tag = summand__call_tag(state);
    if (kind->repeats && !state->checks && !call->agrees) {
        struct summand__plan_cache *cache = summand__plan_cache_of(state, kind);
        plan = cache ? summand__plan_cache_find(cache, kind->repeats, call->asked) : NULL;
    }
    if (!plan)
        return summand__call_anew(call);
    int code = kind->repeat(*plan, call->asked);
    if (code != MPI_SUCCESS)
        return summand__call_abort(call, code);
    summand__route_tag(&(*plan)->route, call->tag);
    (*plan)->watch.timeout = call->timeout;
    return summand__plan_run_cached(plan);
}

/* A blocking call, from beginning to end. */
static inline int summand__call_run(struct summand__plan_call *call, MPI_Comm comm)
{
    SUMMAND__IN_DEFAULT_FPENV;
    struct summand__state *state; /* not call->state: the compiler must know that `kind` stays */
    int code = summand__state_of(comm, &state);
    call->state = state;
    if (code == MPI_SUCCESS) {
        code = summand__call_on(call);
        summand__leave(state);
    }
    return call->quiet ? code : summand__raise(call->name, comm, code);
}

/* A call that makes a plan: on a state; and from beginning to end. `plan` is NULL after an error;
 * an error of one rank is an error of all. */
int summand__call_init_on(struct summand__plan_call *call, summand_plan **plan);
int summand__call_init(struct summand__plan_call *call, MPI_Comm comm, summand_plan **plan);
