/* SPDX-License-Identifier: BSD-3-Clause */
/* The ends of queues, and the messages in transit there. */
#pragma once

#include "kernel/queue.h"
#include "transport/shm/shm_link.h"

/* An unexpected message: it arrived before its receive was posted, and blocked others. */
struct summand__shm_unexpected {
    struct summand__shm_unexpected *next;
    int tag;
    bool broken;
    size_t done;
    unsigned char data[];
};

/* Sends to another rank, or to all, in order. Pieces are published only when all rendezvous reads
 * are over: a message that the other rank cannot read then goes as pieces, in order. A broadcast
 * queue has no rendezvous reads. */
struct summand__shm_out {
    struct summand__queue_out end;
    struct summand__shm_send *announced, **last_announced; /* for the other rank to read */
    struct summand__shm_send *first, **last;               /* still to be published */
    bool broken;  /* a message was begun and will not end: the other rank must be told */
    bool refused; /* the other rank cannot read: all goes as pieces */
};

/* Arrivals from another rank, for this one alone or for all. At most one message is in transit: to
 * a receive, to a buffer if it is unexpected, or discarded. */
struct summand__shm_in {
    struct summand__queue_in end;
    uint32_t sent; /* position of the queue back to that rank at the last short message */
    bool under_way;
    size_t bytes, done;       /* of the message in transit */
    struct summand__shm *shm; /* the link of `recv` */
    struct summand__shm_recv *recv;
    struct summand__shm_unexpected *unexpected;
    struct summand__shm_unexpected *first; /* all of them in order, with the one in transit */
};

/* Shows the next `length` bytes to whoever wants to see what leaves. */
static inline void summand__shm_show(const struct summand__shm_send *send, size_t length)
{
    const struct summand__arrival *seen = &send->seen;
    if (seen->combine)
        seen->combine(seen->context, send->data - send->shm->offset + send->done, NULL, NULL,
                      length / send->shm->size);
}

/* Takes the first send, which is complete, out of a list. */
void summand__shm_sent(struct summand__shm_send **list, struct summand__shm_send ***last);

/* Takes a send out of a list. False if it is not there. */
bool summand__shm_take_out(struct summand__shm_send **list, struct summand__shm_send ***last,
                           const struct summand__shm_send *send);
