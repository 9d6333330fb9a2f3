/* SPDX-License-Identifier: BSD-3-Clause */
/* One operation's end of the transport between ranks of one node: its messages in flight. A message
 * is a stream of bytes with a tag. */
#pragma once

#include <mpi.h>
#include <stdint.h>

#include "fabric/segment.h"
#include "op/packing.h"
#include "transport/transport.h"

struct summand__cell;

struct summand__shm_send {
    struct summand__shm *shm; /* its link */
    int rank;                 /* on the node; the number of ranks: the own broadcast queue */
    const unsigned char *data;
    size_t bytes, done;
    unsigned group;
    bool begun, over;
    struct summand__cell *cell;     /* the announcement of its rendezvous read */
    uint64_t mark;                  /* bytes announced before it */
    void *packed;                   /* our packed copy of it, or NULL */
    struct summand__arrival seen;   /* its `combine` is called for what leaves, or is NULL */
    struct summand__shm_send *next; /* to the same rank */
};

struct summand__shm_recv {
    int rank; /* on the node; from the number of ranks on: their broadcast queues */
    unsigned char *data;
    unsigned char *packed; /* its receive buffer if elements are not contiguous bytes */
    size_t capacity;       /* bytes */
    size_t done, combined; /* bytes */
    unsigned group;
    bool begun, arrived, over;
    bool nontemporal; /* the data are not read again soon */
    bool combines;
    struct summand__arrival arrival;
};

struct summand__shm {
    struct summand__link link; /* first */
    struct summand__segment *segment;
    const int *rank_of; /* rank in the communicator of each rank of the schedule, or NULL */
    MPI_Datatype datatype;
    size_t unit;                     /* bytes from element to element */
    size_t size;                     /* bytes of data of an element */
    size_t offset;                   /* bytes from an element's address to its data */
    bool dense;                      /* elements are contiguous bytes */
    bool direct;                     /* elements can be combined in the queue */
    size_t piece;                    /* bytes of a long message in one cell */
    size_t short_most;               /* bytes of a message that may complete when it is posted */
    struct summand__shm_send *sends; /* the i-th lies at i & mask */
    struct summand__shm_recv *recvs;
    size_t mask;
    size_t first_send, n_sends; /* [first, n): perhaps not complete */
    size_t first_recv, n_recvs;
    size_t open[SUMMAND__LINK_GROUPS]; /* sends and receives that are not complete, by group */
    unsigned asked; /* a bit for each group that is waited for: its receives may combine */
    int code;       /* the first error not yet returned */
    bool ended;     /* by that error: the operation cannot complete any more */
    unsigned looks;
    size_t read_from;                  /* bytes from which messages are rendezvous reads */
    struct summand__shm *next, **self; /* links with open receives */
};

static inline struct summand__packing summand__shm_packing(const struct summand__shm *shm)
{
    return (struct summand__packing){shm->datatype, shm->segment->comm, shm->size, shm->unit};
}

static inline struct summand__shm_send *summand__shm_send_at(const struct summand__shm *shm,
                                                             size_t i)
{
    return &shm->sends[i & shm->mask];
}

static inline struct summand__shm_recv *summand__shm_recv_at(const struct summand__shm *shm,
                                                             size_t i)
{
    return &shm->recvs[i & shm->mask];
}
