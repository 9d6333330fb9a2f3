/* One rank's end of all queues of a context, and what it keeps of messages under way. Queues join
 * the same two processes always, so they go on where they are when another communicator takes the
 * context. */
#ifndef SUMMAND_TRANSPORT_SHM_SHM_DOMAIN_H
#define SUMMAND_TRANSPORT_SHM_SHM_DOMAIN_H

#include "transport/shm/shm.h"
#include "transport/shm/shm_queue.h"

/* A message that arrived before its receive was posted, and lay in the way of others. */
struct summand__shm_aside {
    struct summand__shm_aside *next;
    int tag;
    bool broken;
    size_t done;
    unsigned char data[];
};

/* What goes to another rank, or to all, in order. Pieces are not published before all offers are
 * over: one that the other rank cannot read then goes as pieces, in its turn. To all nothing is
 * offered. */
struct summand__shm_out {
    struct summand__queue_out end;
    struct summand__shm_send *offers, **last_offer; /* the other rank is to read these */
    struct summand__shm_send *first, **last;        /* and these are still to be published */
    bool broken;  /* a message was begun and will not end: the other rank is to know */
    bool refused; /* the other rank cannot read: nothing is offered any more */
};

/* What comes from another rank, for this one alone or for all: at most one message is under way, to
 * a receive, aside, or nowhere.
 */
struct summand__shm_in {
    struct summand__queue_in end;
    bool under_way;
    size_t bytes, done;       /* of the message under way */
    struct summand__shm *shm; /* whose receive it is */
    struct summand__shm_recv *recv;
    struct summand__shm_aside *aside;
    struct summand__shm_aside *asides; /* in order, also the one under way */
};

struct summand__shm_domain {
    struct summand__segment *segment; /* of the communicator that has the context now */
    int ranks;                        /* of the node */
    int ins;                          /* what is read: queues, and boards where there are any */
    bool starved; /* there was no memory to set a message aside, which still lies in the way */
    unsigned char *scratch;       /* for what is read and combined at once */
    struct summand__shm *active;  /* links with open receives */
    struct summand__shm_out *out; /* by rank on the node, then the own board */
    struct summand__shm_in *in;   /* by rank on the node, then all ranks' boards, if any */
};

/* The segment's, made at its first use; NULL when out of memory. */
struct summand__shm_domain *summand__shm_domain_of(struct summand__segment *segment);

/* Writes what there is room for. True if anything moved. */
bool summand__shm_push(struct summand__shm_out *out);

/* Forgets a send that is not through. */
void summand__shm_abandon_send(struct summand__shm_out *out, struct summand__shm_send *send);

/* Messages that the receiver reads out of the sender's memory: shm_offer.c. */

enum {
    SUMMAND__READ_PIECE = 262144 /* bytes: in the cache until they are combined */
};

/* The first send to be published is offered. There must be room. */
void summand__shm_offer(struct summand__shm_out *out);

/* What the reader has done of the offers. True if anything moved. */
bool summand__shm_watch(struct summand__shm_out *out);

/* Takes an offer back that is not over: its memory is not to be read any more. */
void summand__shm_withdraw(struct summand__shm_out *out, struct summand__shm_send *send);

/* The send is through: takes it out of its list. */
void summand__shm_sent(struct summand__shm_send **list, struct summand__shm_send ***last);

enum summand__shm_outcome {
    SUMMAND__SHM_LATER, /* nothing can be read for now */
    SUMMAND__SHM_READ,  /* some bytes, perhaps all */
    SUMMAND__SHM_WITHDRAWN,
    SUMMAND__SHM_REFUSED /* the message goes on in pieces */
};

/* Reads on in the message under way, from rank `rank` of the node. */
enum summand__shm_outcome summand__shm_read(const struct summand__shm_domain *domain,
                                            struct summand__shm_in *in, int rank,
                                            struct summand__cell *cell, bool patient);

/* Reads what there is from the rank of a receive, until that is through. `patient`: pieces that
 * cannot be combined yet stay where they are; else they are put where the message belongs, to be
 * combined later. True if anything moved. */
bool summand__shm_pull(struct summand__shm_domain *domain, const struct summand__shm_recv *recv,
                       bool patient);

/* A receive was posted: its message may lie aside. */
void summand__shm_claim(struct summand__shm_domain *domain, struct summand__shm *shm,
                        struct summand__shm_recv *recv);

/* Drops what was set aside of an operation that this rank has aborted. */
void summand__shm_forget(struct summand__shm_domain *domain, int tag);

/* Forgets a receive that is not through. */
void summand__shm_abandon_recv(struct summand__shm_in *in, const struct summand__shm_recv *recv);

/* Whether the rank that a message comes from, or one that it goes to, has given the operation up.
 */
bool summand__shm_sender_left(const struct summand__shm *shm, const struct summand__shm_recv *recv);
bool summand__shm_receiver_left(const struct summand__shm *shm,
                                const struct summand__shm_send *send);

/* What a receive does with bytes that arrive: shm_recv.c. */

/* The next `length` bytes. False if they are to stay where they are for now. */
bool summand__shm_take(struct summand__shm *shm, struct summand__shm_recv *recv,
                       const unsigned char *from, size_t length, bool patient);

/* The same, put where the message belongs (if they are not there yet) and not combined: while
 * messages of the round are still being posted, sends of what would be overwritten may be to come.
 */
void summand__shm_keep(struct summand__shm *shm, struct summand__shm_recv *recv,
                       const unsigned char *from, size_t length);

/* Where the next `*length` bytes are to be put by whoever reads them: into `scratch`, to be taken
 * from there, or where they belong, to be kept (so many of them as there is room for). NULL if they
 * are not to be read for now. */
unsigned char *summand__shm_place(const struct summand__shm *shm,
                                  const struct summand__shm_recv *recv, size_t *length,
                                  unsigned char *scratch, bool patient);

/* All have arrived. */
void summand__shm_arrived(struct summand__shm *shm, struct summand__shm_recv *recv);

/* Combines what arrived and could not be combined at once. True if anything moved. */
bool summand__shm_catch_up(struct summand__shm *shm, struct summand__shm_recv *recv);

#endif
