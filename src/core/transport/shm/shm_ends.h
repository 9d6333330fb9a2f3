/* SPDX-License-Identifier: BSD-3-Clause */
/* The ends of queues, and what is under way there. */
#ifndef SUMMAND_TRANSPORT_SHM_SHM_ENDS_H
#define SUMMAND_TRANSPORT_SHM_SHM_ENDS_H

#include "kernel/queue.h"
#include "transport/shm/shm_link.h"

/* An unexpected message: it arrived before its receive was posted, and lay in the way of others. */
struct summand__shm_unexpected {
    struct summand__shm_unexpected *next;
    int tag;
    bool broken;
    size_t done;
    unsigned char data[];
};

/* What goes to another rank, or to all, in order. Pieces are not published before all rendezvous
 * reads are over: one that the other rank cannot read then goes as pieces, in its turn. A broadcast
 * queue has none. */
struct summand__shm_out {
    struct summand__queue_out end;
    struct summand__shm_send *announced, **last_announced; /* the other rank is to read these */
    struct summand__shm_send *first, **last;               /* and these are still to be published */
    bool broken;  /* a message was begun and will not end: the other rank is to know */
    bool refused; /* the other rank cannot read: all goes in pieces */
};

/* What comes from another rank, for this one alone or for all: at most one message is under way, to
 * a receive, to a buffer as it is unexpected, or nowhere. */
struct summand__shm_in {
    struct summand__queue_in end;
    uint32_t sent; /* where the queue back to that rank was at the last short message */
    bool under_way;
    size_t bytes, done;       /* of the message under way */
    struct summand__shm *shm; /* whose receive it is */
    struct summand__shm_recv *recv;
    struct summand__shm_unexpected *unexpected;
    struct summand__shm_unexpected *first; /* all of them in order, also the one under way */
};

/* The first send of a list is complete: takes it out. */
void summand__shm_sent(struct summand__shm_send **list, struct summand__shm_send ***last);

/* Takes a send out of a list. False if it is not there. */
bool summand__shm_take_out(struct summand__shm_send **list, struct summand__shm_send ***last,
                           const struct summand__shm_send *send);

#endif
