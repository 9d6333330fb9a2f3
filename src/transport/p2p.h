/* The transport over MPI_Isend and MPI_Irecv on a private communicator: always there. */
#ifndef SUMMAND_TRANSPORT_P2P_H
#define SUMMAND_TRANSPORT_P2P_H

#include <mpi.h>

#include "base/backoff.h"
#include "transport/transport.h"

struct summand__p2p_recv {
    void *data;
    int count, rank;
    unsigned group;
};

/* Messages that are waited for together. */
struct summand__p2p_group {
    MPI_Request *requests;
    int *ranks;          /* that they come from; -1 - rank: go to */
    int posted, through; /* the first so many are through */
    size_t room;
};

struct summand__p2p {
    struct summand__link link; /* first: a link is all that the executor sees */
    MPI_Comm comm;
    MPI_Datatype datatype;
    int tag, first_tag; /* messages have their sum */
    const int *peers;   /* rank in comm of each rank of the communicator, or NULL: the same */
    const int *rank_of; /* rank in the communicator of each rank of the schedule, or NULL */
    struct summand__p2p_group group[SUMMAND__LINK_GROUPS];
    struct summand__p2p_recv *waiting; /* short messages of this group, not yet posted */
    int n_waiting;
    int expected;        /* the rank of the short message that is waited for alone, or -1 */
    size_t room;         /* for them */
    size_t bytes;        /* of an element of the datatype */
    size_t most;         /* messages in flight, in one piece each */
    bool oversubscribed; /* more ranks than processors: who waits yields at once */
    unsigned polls, looks;
    int ended; /* messages of the group that were through at the last look */
    struct summand__backoff backoff;
};

/* `most` is the largest number of messages in flight. The communicator and `rank_of` stay the
 * caller's. False when out of memory. */
bool summand__p2p_open(struct summand__p2p *p2p, MPI_Comm comm, MPI_Datatype datatype, int tag,
                       const int *rank_of, size_t most);
/* Elements of another datatype from the next message on. */
void summand__p2p_carry(struct summand__p2p *p2p, MPI_Datatype datatype);
/* False if messages are still under way which nothing can call back: what they are sent from, and
 * received in, is to stay. Only after an error. */
bool summand__p2p_close(struct summand__p2p *p2p);

#endif
