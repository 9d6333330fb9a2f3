/* SPDX-License-Identifier: BSD-3-Clause */
/* A link of messages with seals: what its files share. */
#pragma once

#include "op/packing.h"
#include "transport/over.h"
#include "transport/sealed_message.h"

/* The messages of an operation, so that its repeat can be compared with it. A rank has received all
 * that a message depends on before it sends that. So if one rank computes wrongly, the first
 * message that it sends otherwise comes before all that it receives otherwise; on each other rank
 * it comes behind. Cost: 8 bytes for each message, and a check word of its words. */
struct summand__sealed_log {
    struct summand__sealed_entry {
        uint32_t word, number;
    } * of;                 /* in the order of posting, which both runs have */
    size_t room;            /* entries from here on are lost: out of memory */
    uint32_t posted, moved; /* messages so far; those that were sent or received */
    bool repeats;           /* this run is the second one */
    uint32_t sent, got;     /* numbers in the first run of the first that differ; or UINT32_MAX */
    int to;                 /* whom the first one is sent to; -1: all others */
};

/* A message has left, or has arrived whole. */
void summand__sealed_log_end(struct summand__sealed_log *log,
                             const struct summand__sealed_message *made);

struct summand__sealed {
    struct summand__over over; /* first */
    const struct summand__state *state;
    struct summand__packing packing;
    const int *rank_of;
    int self; /* this rank's number among those of the schedule */
    size_t offset;
    bool dense;
    struct summand__sealed_message *first, **last, *free;
    uint32_t *sent, *got; /* by rank: numbers of messages; behind them, of multicasts */
    struct summand__sealed_log log;
    int code; /* error of `progress`, returned by `complete`; or MPI_SUCCESS */
    /* Of one that repairs; else zeros. */
    bool repairs;
    bool silent; /* no rank tells that all is whole: words that all ranks compare say so */
    bool ending;
    bool *heard_by, *hears; /* by rank: it has yet to say that all is whole; this rank has yet to
                               tell it */
    struct summand__sealed_message *kept; /* sent ones, whose groups are complete */
    struct summand__note *notes;          /* on their way to other ranks */
    unsigned note_moves;                  /* notes that have come */
    struct summand__sealed *next;         /* of the communicator */
};

/* The communicator's number of a rank of the schedule. */
static inline int summand__sealed_rank(const struct summand__sealed *own, int rank)
{
    return own->rank_of ? own->rank_of[rank] : rank;
}

/* Where the bytes of the message lie. */
static inline unsigned char *summand__sealed_bytes(const struct summand__sealed *own,
                                                   const struct summand__sealed_message *made,
                                                   size_t length)
{
    return made->framed ? made->seal.of + summand__seal_bytes(length)
           : own->dense ? (unsigned char *)made->message.data + own->offset
                        : made->packed.of;
}

/* Checks and delivers the messages of a group that has arrived, in the order of posting, up to one
 * of which a part has been asked for again: then `*done` becomes false. Returns an MPI error code.
 */
int summand__sealed_deliver(struct summand__sealed *own, unsigned group, bool *done);

/* Repairs of damaged messages (SUMMAND_CHECKED=correct). Senders keep what they have sent until the
 * end of the operation, and receivers ask again for a damaged part. At the end each receiver tells
 * each of its sources, once, that all is whole; a rank leaves when all of its receivers have said
 * so. Where the ranks compare words behind the operation, these tell it, and messages are kept
 * until then. Notes travel as messages of the MPI on the communicator's channel, with a tag of
 * their own, whatever transport carries the data. Cost: one short message for each ordered pair of
 * ranks that exchange data, per operation; a copy of what is sent, but for the input. */

/* False when out of memory. */
bool summand__repairs_open(struct summand__sealed *own);

/* Notes that cannot leave, as after an error, stay allocated. */
void summand__repairs_close(struct summand__sealed *own);

/* Drops notes that have left. An MPI error code. */
int summand__repairs_reap(struct summand__sealed *own);

/* Records that a message has been posted. */
void summand__repairs_posted(struct summand__sealed *own,
                             const struct summand__sealed_message *made);

/* Asks the source again for a part of a message: a chunk, or SUMMAND__SEAL_PART. Returns an MPI
 * error code. */
int summand__repairs_ask(struct summand__sealed *own, struct summand__sealed_message *made,
                         uint32_t part);

/* Tells that damage of `what` has been repaired. */
void summand__repairs_tell(const struct summand__sealed *own,
                           const struct summand__sealed_message *made, const char *what);

/* Takes the notes that have come, for any link of the communicator. Returns an MPI error code. */
int summand__repairs_serve(struct summand__sealed *own);

/* After a failed poll: SUMMAND_ERR_REMOTE if a rank that was asked again has aborted; else
 * MPI_SUCCESS. */
int summand__repairs_lost(const struct summand__sealed *own);

/* Tells if all receivers have what this rank has sent. */
int summand__repairs_end(struct summand__sealed *own, bool *done);

/* Calls `each` for the ranks that this one waits for. */
void summand__repairs_awaited(const struct summand__sealed *own, summand__each_rank *each,
                              void *context);
