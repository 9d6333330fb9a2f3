/* SPDX-License-Identifier: BSD-3-Clause */
/* The library's state of a communicator, an attribute of it. */
#pragma once

#include <mpi.h>
#include <summand/options.h>

#include "comm/agreement.h"
#include "fabric/fabric.h"
#include "wait/channel.h"

struct summand_plan;

/* A capability's state of a communicator; the first member of its own cache. */
struct summand__cache {
    const void *owner; /* any unique address of the capability */
    void (*drop)(struct summand__cache *cache);
    struct summand__cache *next;
};

/* Active plans: plan/active.h. */
struct summand__progress {
    struct summand_plan *plans;
    uint64_t thread; /* that progresses them */
    bool moving;     /* that thread progresses them in a call on another communicator */
    bool listed;     /* written by the communicator's thread alone, which reads it without a lock */
    struct summand__state *next, **link; /* in the list of plan/active.c, under its lock */
};

/* Links that repair messages (transport/sealed_link.h). */
struct summand__repairs_list {
    struct summand__sealed *first;
    struct summand__note *coming; /* for one of them; or NULL */
};

struct summand__state {
    MPI_Comm comm; /* the user's, for collectives inside collective calls and for its error handler;
                      MPI_COMM_NULL once freed */
    int rank, ranks;
    struct summand__nodes nodes;
    struct summand__context context;  /* its context of a fabric */
    struct summand__segment *segment; /* memory that the ranks of this node share, or NULL */
    struct summand__segment view;     /* that `segment` points to */
    struct summand__tags tags;
    bool over;   /* MPI has been finalized */
    bool checks; /* blocking calls agree first, by plan/agree.h */
    int checked; /* enum summand__checked_choice, of calls that do not say it themselves: messages
                    have seals (transport/sealed.c), exact sums check words */
    struct summand__repairs_list repairing, *repairs; /* by which links, that have a constant state,
                                                         enter the list */
    bool astray;  /* a collective on `comm` was left unfinished: a later one would match it */
    bool spoiled; /* an operation was aborted or failed: its messages may still arrive */
    struct summand__channel channel;
    /* Of the current call, for its agreements. */
    struct {
        double timeout;
        void (*describe)(const void *what, char *text, size_t room);
        const void *what;
    } asked;
    uint64_t left_since;             /* the call of `under_way`; 0: none */
    MPI_Request under_way;           /* an agreement that this rank has left (plan/agree.h) */
    struct summand__agreement *left; /* its memory, to which the MPI may still write; or NULL */
    bool parted; /* the last agreement may have ended otherwise on other ranks */
    int users;   /* plans that hold the state, plus one for the communicator */
    /* The last blocking call failed before it began: all ranks know; or they learn of it. Its
     * caller clears both. */
    bool told, refused;
    const char *algorithm, *transport; /* of the plan that ran last; NULL: none, or without name */
    struct summand__progress progress;
    struct summand__cache *caches;       /* of the blocking calls, one per owner */
    struct summand__state *next, **link; /* all states, to be freed at MPI_Finalize */
};

/* What a call with this option (enum summand_checked) checks: enum summand__checked_choice. */
static inline int summand__checked(const struct summand__state *state, int check)
{
    return check ? check - SUMMAND_CHECKED_OFF : state->checked;
}

/* The state of an intra-communicator. Makes it at the first use, which is collective (one
 * MPI_Allreduce, or a new fabric). Returns an MPI error code. */
int summand__state_of(MPI_Comm comm, struct summand__state **state);

/* Converts a rank of the state's channel to the state's rank. Costs a search if they differ. */
int summand__state_rank_of(const struct summand__state *state, int peer);

/* Ends a public call (process/error.h) for any plan: raises nothing if the user has freed the
 * communicator. Returns the code. */
int summand__state_raise(const char *call, const struct summand__state *state, int code);

/* Notes that this rank has entered a public call; called once per call, refused or not. Each call
 * takes a tag, needed or not: so equal calls have equal tags. */
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

/* Begins the next step of the call, at the same places on all ranks that make the same call. */
static inline void summand__enter_step(struct summand__state *state)
{
    unsigned call = (unsigned)(atomic_load(state->channel.entered) & 255);
    atomic_store_explicit(state->channel.entered,
                          summand__call_word(++state->channel.calls, state->channel.starts, call),
                          memory_order_relaxed);
}

/* Notes that this rank starts a plan. */
static inline void summand__enter_start(struct summand__state *state)
{
    atomic_store_explicit(state->channel.entered,
                          summand__call_word(state->channel.calls, ++state->channel.starts,
                                             SUMMAND__ENTERED_PLAN_START),
                          memory_order_relaxed);
}

/* Notes that this rank leaves the public call. */
static inline void summand__leave(const struct summand__state *state)
{
    struct summand__presence *own = state->channel.presence;
    if (own)
        atomic_store_explicit(&own->left, atomic_load_explicit(&own->entered, memory_order_relaxed),
                              memory_order_relaxed);
}

/* The tag of the current call, in all of its steps. */
static inline int summand__call_tag(const struct summand__state *state)
{
    return summand__tags_last_call(&state->tags);
}

/* A plan holds the state while it lives, even if the user frees the communicator. */
void summand__state_hold(struct summand__state *state);
void summand__state_release(struct summand__state *state);

/* The same if another owner's was used last. */
void *summand__state_cache_find(struct summand__state *state, const void *owner, size_t bytes,
                                void (*drop)(struct summand__cache *cache));

/* The owner's cache, of so many bytes that begin with a struct summand__cache. Made at its first
 * use, the rest zero; the state frees it with `drop`. NULL when out of memory. */
static inline void *summand__state_cache(struct summand__state *state, const void *owner,
                                         size_t bytes, void (*drop)(struct summand__cache *cache))
{
    return state->caches && state->caches->owner == owner
               ? state->caches
               : summand__state_cache_find(state, owner, bytes, drop);
}
