/* SPDX-License-Identifier: BSD-3-Clause */
/* A collective operation on this rank: the operation, all that its schedule and memory depend on,
 * and the memory. Calls that differ only in buffers, or in their description of the same elements,
 * can share a work and its plan. */
#pragma once

#include "collective/operation.h"
#include "op/vector.h"
#include "plan/plan.h"
#include "select/search.h"

struct summand__collective_work {
    /* The operation that was bound last; its options and arrays are copies in the work. */
    struct summand__operation operation;
    summand_options options;
    struct summand__datatypes types;
    bool simple; /* an operation with the same handles, counts and options is the same one */
    bool default_options; /* equal to those of a call without options */
    /* The caller's choice: NULL and 0 if open. */
    struct summand__choice asked;
    unsigned promises; /* of enum summand__promise */
    /* Staged: data are copied between the caller's buffer and our memory. */
    bool send_staged, recv_staged;
    /* The call for the algorithm. Elements of the schedule are the datatype's if there is an
     * operator. Otherwise they are bytes, because MPI lets ranks describe the same data by
     * different datatypes and counts. */
    struct summand__call call;
    size_t *offsets; /* call.offsets */
    struct summand__vector vector;
    struct summand__datatype_layout user_send, user_recv;
    struct summand__witness *witness; /* of a checked call (witness.h); or NULL */
    MPI_Datatype wide;                /* the datatype with spaced elements, or MPI_DATATYPE_NULL */
    MPI_Datatype held[2];             /* duplicates of the caller's: see summand__work_hold */
    /* Our memory and the address of its element 0. */
    struct summand__store {
        void *memory;
        char *origin;
    } send, recv, scratch;
};

/* The options of a stage that the library adds to a call: its checks, and nothing else of the
 * caller's choice. */
static inline summand_options
summand__work_stage_options(const struct summand__collective_work *work)
{
    return (summand_options){.check = (enum summand_checked)work->asked.check};
}

extern const struct summand__plan_hooks summand__collective_hooks;
/* Two of them, for hooks that add to these. */
void *summand__work_scratch(void *work, size_t elements);
void summand__work_describe(const void *work, char *text, size_t room);

/* Reads a checked operation's datatypes and the caller's choice into a draft: a work without
 * memory, offsets and parameters, to be compared and to make one from. An MPI error code. */
int summand__work_read(struct summand__collective_work *draft,
                       const struct summand__operation *operation,
                       const struct summand__state *state);

/* True if a made work serves a draft. */
bool summand__work_serves(const struct summand__collective_work *made,
                          const struct summand__collective_work *draft);

/* Selects an algorithm; sets the call's parameters. An MPI error code. Cost: select/choose.h. */
int summand__work_choose(struct summand__collective_work *draft, struct summand__state *state,
                         struct summand__choice *choice);

/* Makes the work of a draft with a choice; NULL when out of memory. */
struct summand__collective_work *summand__work_make(const struct summand__state *state,
                                                    const struct summand__collective_work *draft,
                                                    int tag);

/* For a work that outlives its call: replaces the draft's datatypes by duplicates, because the
 * caller may free the handles. Call it before the first bind. Returns an MPI error code. */
int summand__work_hold(struct summand__collective_work *work,
                       struct summand__collective_work *draft);

/* Takes buffers, datatypes and operator of a draft that the work serves. An MPI error code. */
int summand__work_bind(struct summand__collective_work *work,
                       const struct summand__collective_work *draft);

/* The buffers of the schedule. */
const void *summand__work_sendbuf(const struct summand__collective_work *work);
void *summand__work_recvbuf(const struct summand__collective_work *work);
