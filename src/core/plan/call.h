/* SPDX-License-Identifier: BSD-3-Clause */
/* The protocol of a public call that runs a plan: find one or make one, agree where that is asked
 * for, run it, and tell the others of an error. What differs between calls is a row of functions
 * and data. */
#ifndef SUMMAND_PLAN_CALL_H
#define SUMMAND_PLAN_CALL_H

#include "kernel/fpenv.h"
#include "plan/cache.h"
#include "plan/signature.h"
#include "process/error.h"

/* A call under way. Its caller sets what stands first. */
struct summand__plan_call {
    const struct summand__call_kind *kind;
    const char *name; /* of the public call */
    unsigned entered; /* the call, of enum summand__entered_call */
    double timeout;   /* as given: right or not */
    void *asked;      /* what the kind reads and writes: its arguments */
    bool init;        /* a plan is made for the caller */

    struct summand__state *state;
    int tag;
    struct summand__plan_cache *cache; /* or NULL: no plan is kept */
    summand_plan **plan;               /* found or made; NULL: none is yet */
    summand_plan *made;                /* one that is not kept */
    /* Of this rank, which its operand tells the others: it takes part all the same, and returns it.
     */
    int error;
    bool told; /* of this rank's error all others know, or learn in other ways: none aborts */
};

/* A kind of calls. Functions return MPI error codes. Where one is NULL there is nothing to do. */
struct summand__call_kind {
    /* `make` is collective, and what one rank comes with, or gets, is an error on all. Else `make`
     * is local, and an error aborts the call. */
    bool together;
    /* A plan that the last of the same calls has left: whether its work is right for this one, and
     * new buffers for it. Nothing is checked, chosen or agreed then. */
    bool (*repeats)(const void *work, const void *asked);
    int (*repeat)(summand_plan *plan, const void *asked);
    /* What this rank knows by itself. May set `error`, and succeed. */
    int (*check)(struct summand__plan_call *call);
    /* What must be alike on all ranks; of a good call, which has its plan unless there is `meet`.
     */
    void (*sign)(const struct summand__plan_call *call, struct summand__signature *signature);
    /* Of good arguments, for a stuck rank: struct summand__watch. */
    void (*describe)(const void *asked, char *text, size_t room);
    /* What ranks tell each other before there can be a plan; `code` is this rank's so far. Sets
     * `told`, and `plan` where all ranks can run one that is kept. */
    int (*meet)(struct summand__plan_call *call, int code);
    /* Whether a kept plan's work is right for the call, as far as this rank can tell, and what it
     * takes of the call. Without `serves` none is kept. */
    bool (*serves)(const void *work, const void *asked);
    int (*rebind)(const struct summand__plan_call *call, summand_plan *plan);
    /* Makes a plan. With `together`: on any rank that has not been told of an error; `code` is its
     * own so far. Sets `told`. */
    int (*make)(struct summand__plan_call *call, int code, summand_plan **plan);
    /* Says more of what the run came to, if that is an error. */
    void (*explain)(const struct summand__plan_call *call, int code);
    /* That a plan takes; NULL: so little that any is kept. */
    size_t (*bytes)(const void *work);
};

/* Finds or makes a plan, and runs it, for a call that has been entered and checked with this code:
 * also as one step of another call. The plan stays where it is until summand__call_end. */
int summand__call_perform(struct summand__plan_call *call, int code);
static inline void summand__call_end(struct summand__plan_call *call)
{
    summand_plan_free(&call->made);
}

/* After an error of this rank that others do not know of. Returns the code. */
int summand__call_abort(struct summand__plan_call *call, int code);

/* The rest of summand__call_on, where no plan repeats. */
int summand__call_anew(struct summand__plan_call *call);

/* A blocking call on a state. Short calls take as long as a few of these instructions: so a caller
 * gets a copy with its kind's functions in it. */
static inline int summand__call_on(struct summand__plan_call *call)
{
    const struct summand__call_kind *kind = call->kind;
    struct summand__state *state = call->state;
    summand_plan **plan = NULL;
    summand__enter(state, call->entered);
    call->tag = summand__call_tag(state);
    if (kind->repeats && !state->checks) {
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

/* A blocking call, from its beginning to its end. */
static inline int summand__call_run(struct summand__plan_call *call, MPI_Comm comm)
{
    SUMMAND__IN_DEFAULT_FPENV;
    struct summand__state *state; /* not call->state: the compiler is to know that `kind` stays */
    int code = summand__state_of(comm, &state);
    call->state = state;
    if (code == MPI_SUCCESS)
        code = summand__call_on(call);
    return summand__raise(call->name, comm, code);
}

/* A call that makes a plan, on a state; and from its beginning to its end. `plan` is NULL after an
 * error; an error of one rank is an error of all. */
int summand__call_init_on(struct summand__plan_call *call, summand_plan **plan);
int summand__call_init(struct summand__plan_call *call, MPI_Comm comm, summand_plan **plan);

#endif
