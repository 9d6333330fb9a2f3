/* What the library keeps per communicator, as an attribute of it. */
#ifndef SUMMAND_COMM_STATE_H
#define SUMMAND_COMM_STATE_H

#include <mpi.h>

#include "comm/fabric.h"

struct summand_plan;

/* What a capability keeps per communicator; the first member of its own cache. */
struct summand__cache {
    const void *owner; /* any address of the capability's */
    void (*drop)(struct summand__cache *cache);
    struct summand__cache *next;
};

/* Plans under way: plan/started.h. */
struct summand__busy {
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
    bool checks;  /* blocking calls agree first, by comm/agree.h */
    bool spoiled; /* an operation was given up or broke: what is left of it may still come */
    int users;    /* plans that hold on to the state, plus one for the communicator */
    struct summand__busy busy;
    struct summand__cache *caches;       /* of the one-shot calls, one per owner */
    struct summand__state *next, **link; /* all states, to be freed at MPI_Finalize */
};

/* The state of an intra-communicator; made at first use, which is collective (one MPI_Allreduce, or
 * a new fabric). Returns an MPI error code. */
int summand__state_of(MPI_Comm comm, struct summand__state **state);

/* Messages of the MPI between the state's ranks: over the fabric's communicator, to the fabric's
 * ranks, with the tags of the context. */
static inline MPI_Comm summand__state_channel(const struct summand__state *state)
{
    return state->context.fabric->comm;
}

static inline int summand__state_peer(const struct summand__state *state, int rank)
{
    return summand__member(&state->context.members, rank);
}

static inline int summand__state_tag(const struct summand__state *state, int tag)
{
    return state->context.number * SUMMAND__TAGS_PER_CONTEXT + tag;
}

/* The state's rank that the fabric's rank is. Costs a search where these differ. */
int summand__state_rank_of(const struct summand__state *state, int peer);

/* Calls the error handler of the user's communicator, if it still is, unless code is MPI_SUCCESS;
 * returns the code. */
int summand__state_raise(const struct summand__state *state, int code);

/* A plan keeps the state while it lives, even if the user frees the communicator. */
void summand__state_hold(struct summand__state *state);
void summand__state_release(struct summand__state *state);

/* The owner's cache, of so many bytes that begin with a struct summand__cache. Made at its first
 * use, the rest all zero; the state frees it with `drop`. NULL when out of memory. */
void *summand__state_cache(struct summand__state *state, const void *owner, size_t bytes,
                           void (*drop)(struct summand__cache *cache));

#endif
