/* SPDX-License-Identifier: BSD-3-Clause */
/* A plan: one operation on one communicator, to be started any number of times. It binds a schedule
 * to a transport and surrounds it with the capability's own local work. */
#ifndef SUMMAND_PLAN_PLAN_H
#define SUMMAND_PLAN_PLAN_H

#include <stdbool.h>
#include <summand/sum.h>

#include "algorithm/algorithm.h"
#include "comm/state.h"
#include "exec/execute.h"
#include "select/choose.h"
#include "transport/route.h"

/* The capability's part of a plan. `work` is handed to each function. */
struct summand__plan_hooks {
    void (*before)(void *work); /* this rank's share, before the first message */
    int (*after)(void *work);   /* makes the result; an MPI error code */
    void (*drop)(void *work);   /* frees the work */
    /* Where element 0 of scratch lies, in memory that `drop` frees; NULL when out of memory.
     * Without it the plan has scratch of its own, for elements that begin at their address. */
    void *(*scratch)(void *work, size_t elements);
    /* What the call is, in a few words, for a wait that is stuck: "1000 MPI_DOUBLE, root 0"; or
     * NULL. */
    void (*describe)(const void *work, char *text, size_t room);
};

struct summand_plan {
    struct summand__state *state;
    struct summand__operator operator;
    struct summand__route route;
    struct summand__execution execution;
    unsigned char *scratch;
    int tag;                       /* that it was made with */
    struct summand__choice choice; /* for summand_plan_describe */
    const struct summand__plan_hooks *hooks;
    void *work;
    bool started, used;                /* now; or ever */
    struct summand_plan *next, **link; /* of the communicator's plans under way */
    struct summand__watch watch;
    struct summand__wait wait; /* since the first failed poll after something moved */
    unsigned moves;            /* of its messages when it was polled last */
    size_t place;              /* of its execution then */
    int broken;                /* the transport's error that ended it for good, or MPI_SUCCESS */
};

/* What a plan is made of. Elements of the schedule are the operator's. */
struct summand__plan_parts {
    int tag;            /* of summand__plan_tag, or of summand__call_tag */
    int root;           /* rank that gets the result, or SUMMAND_ROOT_ALL */
    const int *rank_of; /* position in the order of operands -> rank, or NULL: rank order */
    struct summand__operator operator;
    MPI_Datatype datatype; /* of an element on the wire, where the operator does not pack */
    /* Taken over by the plan; NULL: a reduction of one element, by summand__select_bundle. */
    struct summand__schedule *schedule;
    struct summand__choice choice; /* what `schedule` is, in the caller's elements; without one:
                                      [in] the algorithm that is named and the parameters that are
                                      set, NULL and 0 where they are left open */
    unsigned promises; /* without a schedule: that an algorithm which is named must keep */
    /* Of a schedule that computes or has counters, else NULL: kept by the work, as is its window,
     * which outlives what other ranks put there. */
    struct summand__onesided *onesided;
    const void *sendbuf; /* one element, or what the schedule reads */
    void *recvbuf;       /* one element, on the ranks that get the result */
    const struct summand__plan_hooks *hooks;
    void *work; /* the plan's from now on, also when making it fails */
};

/* together.c: a tag for a plan. Collective: at every turn of the range of tags, and only then, the
 * ranks tell each other whose plans live. An MPI error code; SUMMAND_ERR_MEMORY, on all ranks,
 * where SUMMAND__PLAN_TAGS plans live. */
int summand__plan_tag(struct summand__state *state, int *tag);

/* Makes a plan; collective only in that all ranks must do so in one order. Returns an MPI error
 * code and raises nothing. */
int summand__plan_make(struct summand__state *state, const struct summand__plan_parts *parts,
                       summand_plan **plan);

/* After an agreement in making the plan with this tag, or in the call: if it may have ended
 * otherwise on other ranks (plan/agree.h), those that come to messages with the tag learn of it. */
void summand__plan_abandon(struct summand__state *state, int tag);

/* together.c, collective: summand__plan_make, where `code` is MPI_SUCCESS (else parts->work is
 * dropped); an error of one rank, `code` or memory, is one of all. */
int summand__plan_make_together(struct summand__state *state, int code,
                                const struct summand__plan_parts *parts, summand_plan **plan);

/* Where a rank stands in the order of operands. */
int summand__plan_position(const int *rank_of, int rank);

/* Other buffers and another datatype of the same shape, for a plan that is not started. */
void summand__plan_rebind(summand_plan *plan, const void *sendbuf, void *recvbuf,
                          MPI_Datatype datatype);

/* Other buffers alone. */
void summand__plan_move(summand_plan *plan, const void *sendbuf, void *recvbuf);

/* start, then wait. */
int summand__plan_run(summand_plan *plan);

/* The parts of the public calls, which raise nothing. Of an active plan, whose communicator this
 * thread has taken (plan/active.h), test and wait_any return an error of the transport, or
 * MPI_SUCCESS; then the caller ends its run by finish, which returns what the run came to.
 *
 * wait_any waits for active plans from plans[*which] on, which is one, until one of them is over or
 * fails, and sets *which to it; NULL and others are passed over. */
bool summand__plan_is_active(const summand_plan *plan);
int summand__plan_begin(summand_plan *plan);
int summand__plan_test(summand_plan *plan, bool waits, bool *done);
int summand__plan_wait_any(int count, summand_plan *const plans[], int *which);
int summand__plan_finish(summand_plan *plan, int code);

/* The same for a plan that is kept for later calls. One that an error of the transport ended never
 * runs again and is freed: what is under way must not arrive when the call has returned, and the
 * next call of its shape makes a new one, as the other ranks' plans may be sound and wait for this
 * rank. */
static inline int summand__plan_run_cached(summand_plan **plan)
{
    int code = summand__plan_run(*plan);
    if ((*plan)->broken != MPI_SUCCESS)
        summand_plan_free(plan);
    return code;
}

#endif
