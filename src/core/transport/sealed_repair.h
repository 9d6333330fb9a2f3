/* SPDX-License-Identifier: BSD-3-Clause */
/* Repairs of damaged messages (SUMMAND_CHECKED=correct). Senders keep what they have sent until the
 * end of the operation, and receivers ask again for a damaged part. At the end each receiver tells
 * each of its sources, once, that all is whole; a rank leaves when all of its receivers have said
 * so. Where the ranks compare words behind the operation, these tell it, and messages are kept
 * until then. Notes travel as messages of the MPI on the communicator's channel, with a tag of
 * their own, whatever transport carries the data. Cost: one short message for each ordered pair of
 * ranks that exchange data, per operation; a copy of what is sent, but for the input. */
#pragma once

#include "comm/state.h"
#include "transport/sealed_message.h"

struct summand__note; /* on its way to another rank */

/* Of one link. */
struct summand__repairs {
    const struct summand__state *state; /* NULL: nothing is repaired */
    const struct summand__link *link;   /* has the operation's tag */
    const int *rank_of;
    int self, ranks;
    struct summand__sealed_message *const *listed; /* messages in flight */
    struct summand__sealed_message *kept;          /* sent ones, whose groups are complete */
    bool *heard_by, *hears;                        /* by rank: it has yet to say that all is whole;
                                                      this rank has yet to tell it */
    bool ending;
    bool silent;    /* no rank tells that all is whole: words that all ranks compare say so */
    unsigned moves; /* notes that have come */
    struct summand__note *sent;
    struct summand__repairs *next; /* of the communicator */
};

/* False when out of memory. */
bool summand__repairs_open(struct summand__repairs *repairs, const struct summand__link *link,
                           const struct summand__state *state, const int *rank_of, int self,
                           struct summand__sealed_message *const *listed);

/* Notes that cannot leave, as after an error, stay allocated. */
void summand__repairs_close(struct summand__repairs *repairs);

/* Drops notes that have left. An MPI error code. */
int summand__repairs_reap(struct summand__repairs *repairs);

/* Records that a message has been posted. */
void summand__repairs_posted(struct summand__repairs *repairs,
                             const struct summand__sealed_message *made);

/* Keeps a message whose group is complete. */
void summand__repairs_keep(struct summand__repairs *repairs, struct summand__sealed_message *made);

/* Asks the source again for a part of a message: a chunk, or SUMMAND__SEAL_PART. Returns an MPI
 * error code. */
int summand__repairs_ask(struct summand__repairs *repairs, struct summand__sealed_message *made,
                         uint32_t part);

/* Tells that damage of `what` has been repaired. */
void summand__repairs_tell(const struct summand__repairs *repairs,
                           const struct summand__sealed_message *made, const char *what);

/* Takes the notes that have come, for any link of the communicator. Returns an MPI error code. */
int summand__repairs_serve(struct summand__repairs *repairs);

/* After a failed poll: SUMMAND_ERR_REMOTE if a rank that was asked again has aborted; else
 * MPI_SUCCESS. */
int summand__repairs_lost(const struct summand__repairs *repairs);

/* Tells if all receivers have what this rank has sent. */
int summand__repairs_end(struct summand__repairs *repairs, bool *done);

/* Calls `each` for the ranks that this one waits for. */
void summand__repairs_awaited(const struct summand__repairs *repairs, summand__each_rank *each,
                              void *context);
