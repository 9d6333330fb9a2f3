/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of the MPI that nobody will receive: of operations that this rank has aborted. Tags
 * come round, so they are taken out of the way before an operation with the same tag would receive
 * them for its own. (What is in shared memory is dropped where it arrives:
 * transport/shm/shm_domain.c.)
 */
#ifndef SUMMAND_WAIT_STALE_H
#define SUMMAND_WAIT_STALE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct summand__channel;

/* A tag whose messages are to be dropped: of a call, once it is half a turn of tags ago, as ranks
 * are hardly ever that far apart; of a plan, when all ranks begin a new turn together. */
struct summand__stale_tag {
    int tag;
    uint64_t due; /* call, as tags count them; 0: of a plan */
};

struct summand__stale {
    uint64_t due; /* the first call at which there is something to do; 0: none */
    struct summand__stale_tag few[4], *list; /* `few`, or memory for more */
    size_t count, room;
};

/* This rank has aborted the operation with the tag: its last call, or a plan. Local. */
void summand__stale_add(struct summand__channel *channel, int tag);

/* Drops what is due: after the tag of a call was taken, or at a new turn of the tags of plans. */
void summand__stale_drop_calls(struct summand__channel *channel);
void summand__stale_drop_plans(struct summand__channel *channel);

/* One message that has come: out of the way. False where there is none. Local. */
bool summand__stale_take(MPI_Comm comm, int source, int tag);

void summand__stale_free(struct summand__stale *stale);

#endif
