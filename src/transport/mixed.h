/* Shared memory to the ranks of this node, messages of the MPI to the others. */
#ifndef SUMMAND_TRANSPORT_MIXED_H
#define SUMMAND_TRANSPORT_MIXED_H

#include "transport/p2p.h"
#include "transport/shm/shm.h"

struct summand__mixed {
    struct summand__link link; /* first */
    struct summand__p2p *p2p;
    struct summand__shm *shm;
    struct summand__backoff backoff; /* while messages of both are under way */
};

/* Both are open, with the same `rank_of`, and stay the caller's. */
void summand__mixed_open(struct summand__mixed *mixed, struct summand__p2p *p2p,
                         struct summand__shm *shm);

#endif
