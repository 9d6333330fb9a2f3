/* SPDX-License-Identifier: BSD-3-Clause */
/* A collective operation on this rank: as its caller gave it, what its schedule and its memory
 * depend on, and that memory. Calls that differ in buffers alone, or in how they describe the same
 * elements, can share one, and its plan. */
#ifndef SUMMAND_COLLECTIVE_WORK_H
#define SUMMAND_COLLECTIVE_WORK_H

#include "collective/operation.h"
#include "op/vector.h"
#include "plan/plan.h"
#include "select/search.h"

struct summand__collective_work {
    /* As bound last: as the caller gave it, but that options and arrays are the work's own. */
    struct summand__operation operation;
    summand_options options;
    struct summand__datatypes types;
    bool simple; /* an operation with the same handles, counts and options is the same one */
    bool default_options; /* as where none are given */
    /* What the caller asked for: NULL and 0 if it is left open. */
    struct summand__choice asked;
    unsigned promises; /* of enum summand__promise */
    /* Staged: the caller's buffer is copied to and from memory of ours. */
    bool send_staged, recv_staged;
    /* What runs, as algorithms see it. The schedule's elements are the datatype's where there is an
     * operator. Elsewhere they are bytes, as MPI lets ranks describe the same data by different
     * datatypes and counts. */
    struct summand__call call;
    size_t *offsets; /* call.offsets */
    struct summand__vector vector;
    struct summand__datatype_layout user_send, user_recv;
    MPI_Datatype wide;    /* the datatype with its elements apart, or MPI_DATATYPE_NULL */
    MPI_Datatype held[2]; /* duplicates of the caller's: see summand__work_hold */
    /* Memory of ours and where its element 0 lies. */
    struct summand__store {
        void *memory;
        char *origin;
    } send, recv, scratch;
};

extern const struct summand__plan_hooks summand__collective_hooks;

/* Reads a checked operation's datatypes and what is asked for into a draft: a work without memory,
 * offsets and parameters, which is only to be asked for and made from. An MPI error code. */
int summand__work_read(struct summand__collective_work *draft,
                       const struct summand__operation *operation,
                       const struct summand__state *state);

/* Whether a work that has been made serves what a draft asks for. */
bool summand__work_serves(const struct summand__collective_work *made,
                          const struct summand__collective_work *draft);

/* Chooses what runs, and sets the call's parameters. An MPI error code. Cost: select/choose.h. */
int summand__work_choose(struct summand__collective_work *draft, struct summand__state *state,
                         struct summand__choice *choice);

/* The work of a draft that has been chosen for; NULL when out of memory. */
struct summand__collective_work *summand__work_make(const struct summand__state *state,
                                                    const struct summand__collective_work *draft,
                                                    int tag);

/* For work that outlives its call: duplicates of the caller's datatypes in place of the draft's
 * handles, which may be freed then. Before the first bind. An MPI error code. */
int summand__work_hold(struct summand__collective_work *work,
                       struct summand__collective_work *draft);

/* Takes buffers, datatypes and operator of a draft that it serves. An MPI error code. */
int summand__work_bind(struct summand__collective_work *work,
                       const struct summand__collective_work *draft);

/* What the schedule reads, writes and sends. */
const void *summand__work_sendbuf(const struct summand__collective_work *work);
void *summand__work_recvbuf(const struct summand__collective_work *work);

#endif
