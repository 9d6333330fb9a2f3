/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank's end of all queues of a context, and its state of messages in flight. A queue always
 * joins the same two processes, so it continues when another communicator takes the context. */
#pragma once

#include "transport/shm/shm_ends.h"

struct summand__shm_domain {
    struct summand__segment *segment; /* of the communicator that has the context now */
    int ranks;                        /* of the node */
    int ins;                          /* queues to read */
    bool starved; /* no memory to buffer an unexpected message, which still blocks its queue */
    unsigned char *scratch;       /* for data that are read and combined at once */
    struct summand__shm *active;  /* links with open receives */
    struct summand__shm_out *out; /* by rank on the node, then the own broadcast queue */
    struct summand__shm_in *in; /* by rank on the node, then all ranks' broadcast queues, if any */
};

/* The segment's domain, made at the first use; NULL when out of memory. */
struct summand__shm_domain *summand__shm_domain_of(struct summand__segment *segment);

/* Writes as much as there is room for. True if anything moved. */
bool summand__shm_push(struct summand__shm_out *out);

/* Forgets a send that is not complete. */
void summand__shm_abandon_send(struct summand__shm_out *out, struct summand__shm_send *send);

/* Reads arrivals from the receive's rank until the receive is complete. `may_stay`: pieces that
 * cannot be combined yet stay in the queue; else they are copied to the message's place and
 * combined later. True if anything moved. */
bool summand__shm_pull(struct summand__shm_domain *domain, struct summand__shm *shm,
                       struct summand__shm_recv *recv, bool may_stay);

/* Takes a message without posting a receive, if it is one whole piece, the next from the rank, and
 * the link has nothing in flight. Polls `looks` times more if the message is not there. False:
 * nothing was done. */
bool summand__shm_take_now(struct summand__shm_domain *domain, struct summand__shm *shm,
                           const struct summand__message *message, int rank, int looks);

/* Matches a receive that was just posted with an unexpected message, if there is one. */
void summand__shm_match(struct summand__shm_domain *domain, struct summand__shm *shm,
                        struct summand__shm_recv *recv);

/* Drops unexpected messages of an operation that this rank has aborted. */
void summand__shm_forget(struct summand__shm_domain *domain, int tag);

/* Forgets a receive that is not complete. */
void summand__shm_abandon_recv(struct summand__shm_in *in, const struct summand__shm_recv *recv);

/* True if the source of the message, or one of its destinations, has aborted the operation. */
bool summand__shm_sender_left(const struct summand__shm *shm, const struct summand__shm_recv *recv);
bool summand__shm_receiver_left(const struct summand__shm *shm,
                                const struct summand__shm_send *send);
