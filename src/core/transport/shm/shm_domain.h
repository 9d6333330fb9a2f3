/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank's end of all queues of a context, and what it keeps of messages under way. Queues join
 * the same two processes always, so they go on where they are when another communicator takes the
 * context. */
#ifndef SUMMAND_TRANSPORT_SHM_SHM_DOMAIN_H
#define SUMMAND_TRANSPORT_SHM_SHM_DOMAIN_H

#include "transport/shm/shm_ends.h"

struct summand__shm_domain {
    struct summand__segment *segment; /* of the communicator that has the context now */
    int ranks;                        /* of the node */
    int ins;                          /* queues that are read */
    bool starved; /* there was no memory to buffer an unexpected message, which still lies in the
                     way */
    unsigned char *scratch;       /* for what is read and combined at once */
    struct summand__shm *active;  /* links with open receives */
    struct summand__shm_out *out; /* by rank on the node, then the own broadcast queue */
    struct summand__shm_in *in; /* by rank on the node, then all ranks' broadcast queues, if any */
};

/* The segment's, made at its first use; NULL when out of memory. */
struct summand__shm_domain *summand__shm_domain_of(struct summand__segment *segment);

/* Writes what there is room for. True if anything moved. */
bool summand__shm_push(struct summand__shm_out *out);

/* Forgets a send that is not complete. */
void summand__shm_abandon_send(struct summand__shm_out *out, struct summand__shm_send *send);

/* Reads what has arrived from the rank of a link's receive, until the receive is complete.
 * `may_stay`: pieces that cannot be combined yet stay in the queue; else they are copied to the
 * message's place, to be combined later. True if anything moved. */
bool summand__shm_pull(struct summand__shm_domain *domain, struct summand__shm *shm,
                       struct summand__shm_recv *recv, bool may_stay);

/* Takes a whole message that lies in one piece, is the next one from the rank and belongs to a link
 * that has nothing under way, as if it had been posted and waited for; looks for it so many times
 * more if it is not there. False: nothing has been done. */
bool summand__shm_take_now(struct summand__shm_domain *domain, struct summand__shm *shm,
                           const struct summand__message *message, int rank, int looks);

/* A receive was posted: its message may be among the unexpected ones. */
void summand__shm_match(struct summand__shm_domain *domain, struct summand__shm *shm,
                        struct summand__shm_recv *recv);

/* Drops unexpected messages of an operation that this rank has aborted. */
void summand__shm_forget(struct summand__shm_domain *domain, int tag);

/* Forgets a receive that is not through. */
void summand__shm_abandon_recv(struct summand__shm_in *in, const struct summand__shm_recv *recv);

/* Whether the rank that a message comes from, or one that it goes to, has given the operation up.
 */
bool summand__shm_sender_left(const struct summand__shm *shm, const struct summand__shm_recv *recv);
bool summand__shm_receiver_left(const struct summand__shm *shm,
                                const struct summand__shm_send *send);

#endif
