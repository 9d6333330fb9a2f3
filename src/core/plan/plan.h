/* SPDX-License-Identifier: BSD-3-Clause */
/* A plan: one operation on one communicator, to be started any number of times. It binds a schedule
 * to a transport and adds the capability's own local work. */
#pragma once

#include <stdbool.h>
#include <summand/sum.h>

#include "algorithm/algorithm.h"
#include "comm/state.h"
#include "exec/execute.h"
#include "select/choose.h"
#include "transport/route.h"

/* The capability's part of a plan. Each function gets `work`. */
struct summand__plan_hooks {
    void (*before)(void *work); /* local work before the first message */
    int (*after)(void *work);   /* makes the result; returns an MPI error code */
    void (*drop)(void *work);   /* frees the work */
    /* Returns the address of element 0 of scratch, in memory that `drop` frees; NULL when out of
     * memory. Without it, the plan allocates scratch for elements that begin at their address. */
    void *(*scratch)(void *work, size_t elements);
    /* Describes the call briefly for a stuck wait: "1000 MPI_DOUBLE, root 0". May be NULL. */
    void (*describe)(const void *work, char *text, size_t room);
    /* Of a plan of several stages; else NULL. Called after each: computes what lies between them,
     * and sets the next one by summand__plan_swap, or `*more` to false after the last. An MPI error
     * code. */
    int (*next)(void *work, summand_plan *plan, bool *more);
};

struct summand_plan {
    struct summand__state *state;
    struct summand__operator operator;
    struct summand__route route;
    struct summand__execution execution;
    unsigned char *scratch;
    int tag;                       /* given when it was made */
    struct summand__choice choice; /* for summand_plan_describe */
    int checked;                   /* enum summand__checked_choice */
    const struct summand__plan_hooks *hooks;
    void *work;
    bool started, used;                /* active now; ever started */
    bool more;                         /* `next` is called when the execution is over */
    struct summand_plan *next, **link; /* in the communicator's active plans */
    struct summand__watch watch;
    struct summand__wait wait; /* since the first failed poll after a move */
    unsigned moves;            /* of its link at the last poll */
    size_t place;              /* of its execution at the last poll */
    int broken;                /* transport error that ended the plan, or MPI_SUCCESS */
};

/* Arguments for making a plan. Elements of the schedule are the operator's. */
struct summand__plan_parts {
    int tag;            /* of summand__plan_tag, or of summand__call_tag */
    int root;           /* rank that gets the result, or SUMMAND_ROOT_ALL */
    const int *rank_of; /* position in the order of operands -> rank; NULL: rank order */
    struct summand__operator operator;
    MPI_Datatype datatype; /* of an element in messages if the operator does not pack */
    /* The plan takes it over; NULL: a reduction of one element, by summand__select_bundle. */
    struct summand__schedule *schedule;
    struct summand__choice choice; /* of `schedule`, in the caller's elements; without one, [in] the
                                      named algorithm and the set parameters, NULL and 0 if open */
    bool compared;                 /* see struct summand__link_spec */
    unsigned promises; /* without a schedule: promises that a named algorithm must keep */
    /* For a schedule that computes or has counters; else NULL. The work owns it and its window,
     * which must outlive all that other ranks put there. */
    struct summand__onesided *onesided;
    const void *sendbuf; /* one element, or the input of the schedule */
    void *recvbuf;       /* one element, on the ranks that get the result */
    const struct summand__plan_hooks *hooks;
    void *work; /* the plan owns it, even if making the plan fails */
};

/* together.c: takes a tag for a plan. Collective: only when the range of tags is used up, the ranks
 * exchange which plans live. Returns an MPI error code; SUMMAND_ERR_MEMORY, on all ranks, if
 * SUMMAND__PLAN_TAGS plans live. */
int summand__plan_tag(struct summand__state *state, int *tag);

/* Makes a plan. Local, but all ranks must make their plans in one order. Returns an MPI error code
 * and raises nothing. */
int summand__plan_make(struct summand__state *state, const struct summand__plan_parts *parts,
                       summand_plan **plan);

/* Call it after an agreement on the plan with this tag, or in the call. If it may have ended
 * otherwise on other ranks (plan/agree.h), ranks that use messages with the tag learn of it. */
void summand__plan_abandon(struct summand__state *state, int tag);

/* together.c, collective: summand__plan_make if `code` is MPI_SUCCESS, else drops parts->work. An
 * error of one rank, `code` or memory, is an error of all. */
int summand__plan_make_together(struct summand__state *state, int code,
                                const struct summand__plan_parts *parts, summand_plan **plan);

/* The rank's position in the order of operands. */
int summand__plan_position(const int *rank_of, int rank);

/* Sets other buffers and another datatype of the same shape; the plan must not be started. */
void summand__plan_rebind(summand_plan *plan, const void *sendbuf, void *recvbuf,
                          MPI_Datatype datatype);

/* Sets other buffers only. */
void summand__plan_move(summand_plan *plan, const void *sendbuf, void *recvbuf);

/* stage.c: exchanges the executions and messages of a plan and of one that serves as its stage,
 * which was made with a tag of calls: the plan runs the stage from now on, with its own tag, watch
 * and hooks. The same call ends that. Neither may be active. */
void summand__plan_swap(summand_plan *plan, summand_plan *stage);

/* Starts the plan and waits for it. */
int summand__plan_run(summand_plan *plan);

/* Starts the next stage, if there is one, of a plan whose stage is over. `done`: there is none. */
int summand__plan_go_on(summand_plan *plan, bool *done);

/* Progresses an active plan without waiting; `done`: its last stage is over. */
int summand__plan_poll(summand_plan *plan, bool *done);

/* Parts of the public calls, which raise nothing. test and wait_any need an active plan whose
 * communicator this thread has taken (plan/active.h). They return an error of the transport, or
 * MPI_SUCCESS; then the caller ends the run by finish, which returns its result.
 *
 * wait_any waits for active plans from plans[*which] on, which must be active, until one is over or
 * fails, and sets *which to it. It skips NULL and inactive plans. */
bool summand__plan_is_active(const summand_plan *plan);
int summand__plan_begin(summand_plan *plan);
int summand__plan_test(summand_plan *plan, bool waits, bool *done);
/* The pause after a failed poll of an active plan, unless its link's polls yield. A loop of tests
 * lets other ranks run as a wait does. */
void summand__plan_turn(summand_plan *plan);
int summand__plan_wait_any(int count, summand_plan *const plans[], int *which);
int summand__plan_finish(summand_plan *plan, int code);

/* The same for a cached plan. After an error of the transport the plan is freed: its messages must
 * not arrive after the call. The next call of its shape makes a new plan, because the other ranks'
 * plans may be intact and wait for this rank. */
static inline int summand__plan_run_cached(summand_plan **plan)
{
    int code = summand__plan_run(*plan);
    if ((*plan)->broken != MPI_SUCCESS)
        summand_plan_free(plan);
    return code;
}
