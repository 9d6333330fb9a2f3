/* SPDX-License-Identifier: BSD-3-Clause */
/* Stale MPI messages: those of operations that this rank has aborted, which have no receive. Tags
 * are reused, so stale messages are dropped before an operation with the same tag could receive
 * them. (Those in shared memory are dropped on arrival: transport/shm/shm_domain.c.) */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct summand__channel;

/* A tag whose messages must be dropped. A call's tag is due half a range of tags later, because
 * ranks are hardly ever so far apart; a plan's, when all ranks begin the range anew together. */
struct summand__stale_tag {
    int tag;
    uint64_t due; /* number of the call, as tags count calls; 0: of a plan */
};

struct summand__stale {
    uint64_t due;                            /* the first call with something to drop; 0: none */
    struct summand__stale_tag few[4], *list; /* `few`, or memory for more */
    size_t count, room;
};

/* Notes that this rank has aborted the operation with the tag: its last call, or a plan. Local. */
void summand__stale_add(struct summand__channel *channel, int tag);

/* Drop due messages: after a call has taken its tag, or when the tags of plans begin anew. */
void summand__stale_drop_calls(struct summand__channel *channel);
void summand__stale_drop_plans(struct summand__channel *channel);

/* Removes one message that has arrived. False if there is none. Local. */
bool summand__stale_take(MPI_Comm comm, int source, int tag);

void summand__stale_free(struct summand__stale *stale);
