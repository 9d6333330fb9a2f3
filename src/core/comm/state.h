/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library keeps per communicator, as an attribute of it. */
#ifndef SUMMAND_COMM_STATE_H
#define SUMMAND_COMM_STATE_H

#include <mpi.h>

#include "comm/agreement.h"
#include "fabric/fabric.h"
#include "wait/channel.h"

struct summand_plan;

/* What a capability keeps per communicator; the first member of its own cache. */
struct summand__cache {
    const void *owner; /* any address of the capability's */
    void (*drop)(struct summand__cache *cache);
    struct summand__cache *next;
};

/* Plans under way: plan/active.h. */
struct summand__progress {
    struct summand_plan *plans;
    uint64_t thread; /* that moves them on */
    bool moving;     /* that thread is at it, though it was not called for this communicator */
    struct summand__state *next, **link; /* communicators that have had plans under way */
};

struct summand__state {
    MPI_Comm comm; /* the user's, for collectives inside a collective call and for its error
                      handler; MPI_COMM_NULL once freed */
    int rank, ranks;
    struct summand__nodes nodes;
    struct summand__context context;  /* its part of a fabric */
    struct summand__segment *segment; /* what the ranks of this node share, or NULL */
    struct summand__segment view;     /* that `segment` points to */
    struct summand__tags tags;
    bool over;    /* MPI has been finalized */
    bool checks;  /* blocking calls agree first, by plan/agree.h */
    bool astray;  /* a collective on `comm` was left: the next one there would meet it */
    bool spoiled; /* an operation was aborted or broke: what is left of it may still come */
    struct summand__channel channel;
    /* Of the call that is under way, for its agreements. */
    struct {
        double timeout;
        void (*describe)(const void *what, char *text, size_t room);
        const void *what;
    } asked;
    uint64_t left_since;             /* the call that `under_way` is of; 0: none */
    MPI_Request under_way;           /* an agreement that was left before its end (plan/agree.h) */
    struct summand__agreement *left; /* where the MPI may still write then; else NULL */
    bool parted; /* the last agreement may have ended otherwise on other ranks */
    int users;   /* plans that hold on to the state, plus one for the communicator */
    struct summand__progress progress;
    struct summand__cache *caches;       /* of the blocking calls, one per owner */
    struct summand__state *next, **link; /* all states, to be freed at MPI_Finalize */
};

/* The state of an intra-communicator; made at first use, which is collective (one MPI_Allreduce, or
 * a new fabric). Returns an MPI error code. */
int summand__state_of(MPI_Comm comm, struct summand__state **state);

/* The state's rank that a rank of its channel is. Costs a search where these differ. */
int summand__state_rank_of(const struct summand__state *state, int peer);

/* The end of a public call (process/error.h) for whatever plan: nothing is raised on a communicator
 * that the user has freed. Returns the code. */
int summand__state_raise(const char *call, const struct summand__state *state, int code);

/* This rank has entered a public call: to be told once per call, refused or not. Each call has a
 * tag, whether it needs one or not: so tags are in step where the calls are. */
static inline void summand__enter(struct summand__state *state, unsigned call)
{
    state->channel.starts = 0;
    state->channel.calls += SUMMAND__STEPS - state->channel.calls % SUMMAND__STEPS;
    atomic_store_explicit(state->channel.entered, summand__call_word(state->channel.calls, 0, call),
                          memory_order_relaxed);
    summand__tags_call(&state->tags);
    if (state->channel.stale.due && state->channel.stale.due <= state->tags.calls)
        summand__stale_drop_calls(&state->channel);
}

/* The next step of the call: at the same places on all ranks that make the same call. */
static inline void summand__enter_step(struct summand__state *state)
{
    unsigned call = (unsigned)(atomic_load(state->channel.entered) & 255);
    atomic_store_explicit(state->channel.entered,
                          summand__call_word(++state->channel.calls, state->channel.starts, call),
                          memory_order_relaxed);
}

/* It starts a plan. */
static inline void summand__enter_start(struct summand__state *state)
{
    atomic_store_explicit(state->channel.entered,
                          summand__call_word(state->channel.calls, ++state->channel.starts,
                                             SUMMAND__ENTERED_PLAN_START),
                          memory_order_relaxed);
}

/* The tag of the call that is under way, in all of its steps. */
static inline int summand__call_tag(const struct summand__state *state)
{
    return summand__tags_last_call(&state->tags);
}

/* A plan keeps the state while it lives, even if the user frees the communicator. */
void summand__state_hold(struct summand__state *state);
void summand__state_release(struct summand__state *state);

/* The same where another owner's was used last. */
void *summand__state_cache_find(struct summand__state *state, const void *owner, size_t bytes,
                                void (*drop)(struct summand__cache *cache));

/* The owner's cache, of so many bytes that begin with a struct summand__cache. Made at its first
 * use, the rest all zero; the state frees it with `drop`. NULL when out of memory. */
static inline void *summand__state_cache(struct summand__state *state, const void *owner,
                                         size_t bytes, void (*drop)(struct summand__cache *cache))
{
    return state->caches && state->caches->owner == owner
               ? state->caches
               : summand__state_cache_find(state, owner, bytes, drop);
}

#endif
