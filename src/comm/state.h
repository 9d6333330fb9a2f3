/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library keeps per communicator, as an attribute of it. */
#ifndef SUMMAND_COMM_STATE_H
#define SUMMAND_COMM_STATE_H

#include <mpi.h>

#include "comm/agreement.h"
#include "comm/fabric/fabric.h"
#include "comm/wait/notice.h"
#include "comm/wait/stale.h"

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
    /* Public calls so far, which all ranks make in one order, also where they are refused: the
     * number of the last, and of its step (SUMMAND__STEPS). It is told to the ranks of this node,
     * in `presence` (or NULL); `entered` lies there, or in `untold`. */
    uint64_t calls;
    unsigned starts; /* of plans since the last call */
    struct summand__presence *presence;
    _Atomic uint64_t *entered, untold;
    struct summand__notices notices;
    struct summand__stale stale;
    double timeout, stall; /* seconds; 0: none */
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

/* Messages of the MPI between the state's ranks: over the fabric's communicator, to its ranks, with
 * the tags of the context. */
static inline MPI_Comm summand__state_channel(const struct summand__state *state)
{
    return state->context.fabric->comm;
}

/* One to call the MPI on where nothing is to be sent, so that its messages move: a rank on its own
 * may have no private one. */
static inline MPI_Comm summand__state_calls_on(const struct summand__state *state)
{
    MPI_Comm comm = summand__state_channel(state);
    return comm == MPI_COMM_NULL ? MPI_COMM_SELF : comm;
}

static inline int summand__state_peer(const struct summand__state *state, int rank)
{
    return state->context.peers ? state->context.peers[rank] : rank;
}

static inline int summand__state_tag(const struct summand__state *state, int tag)
{
    const struct summand__context *context = &state->context;
    return (context->fabric->first + context->number) * SUMMAND__TAGS_PER_CONTEXT + tag;
}

/* The state's rank that such a rank is. Costs a search where these differ. */
int summand__state_rank_of(const struct summand__state *state, int peer);

/* The end of a public call (comm/error.h) for whatever plan: nothing is raised on a communicator
 * that the user has freed. Returns the code. */
int summand__state_raise(const char *call, const struct summand__state *state, int code);

/* This rank has entered a public call: to be told once per call, refused or not. */
static inline void summand__enter(struct summand__state *state, unsigned call)
{
    state->starts = 0;
    state->calls += SUMMAND__STEPS - state->calls % SUMMAND__STEPS;
    atomic_store_explicit(state->entered, summand__call_word(state->calls, 0, call),
                          memory_order_relaxed);
}

/* The next step of the call: at the same places on all ranks that make the same call. */
static inline void summand__enter_step(struct summand__state *state)
{
    unsigned call = (unsigned)(atomic_load(state->entered) & 255);
    atomic_store_explicit(state->entered, summand__call_word(++state->calls, state->starts, call),
                          memory_order_relaxed);
}

/* It starts a plan. */
static inline void summand__enter_start(struct summand__state *state)
{
    atomic_store_explicit(
        state->entered,
        summand__call_word(state->calls, ++state->starts, SUMMAND__ENTERED_PLAN_START),
        memory_order_relaxed);
}

/* The tag of a blocking call, also where it is refused: tags stay in step. */
static inline int summand__call_tag(struct summand__state *state)
{
    int tag = summand__tags_call(&state->tags);
    if (state->stale.due && state->stale.due <= state->tags.calls)
        summand__stale_drop_calls(state);
    return tag;
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
