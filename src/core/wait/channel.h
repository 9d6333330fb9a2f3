/* SPDX-License-Identifier: BSD-3-Clause */
/* How a communicator's ranks reach each other while they wait: by MPI messages, and by presences in
 * the node's shared memory. The communicator's state owns and fills it (comm/state.c). Zeros if
 * nothing else is said. */
#pragma once

#include <mpi.h>

#include "wait/notice.h"
#include "wait/presence.h"
#include "wait/stale.h"
#include "wait/tags.h"

struct summand__channel {
    MPI_Comm comm;         /* private; errors return */
    int rank, ranks;       /* of the communicator */
    const int *peers;      /* by rank: its rank in `comm`; NULL: the same */
    int first_tag;         /* of its tags in `comm` */
    uint64_t id;           /* equal on the communicator's ranks, unique to the communicator */
    bool whole;            /* all ranks share memory: no messages are needed */
    bool checks;           /* SUMMAND_CHECK is on; for the text of a stall */
    double timeout, stall; /* seconds; 0: none */
    const struct summand__tags *tags;
    const int *local;                   /* by rank: its rank on this node, or -1 */
    struct summand__presence *places;   /* by rank on this node; NULL: there are none */
    struct summand__presence *presence; /* this rank's, or NULL */
    /* The number of the last public call, with its step (SUMMAND__STEPS). All ranks make these
     * calls in one order; refused ones count. `entered` publishes it: it lies in `presence`, or is
     * `untold`. */
    uint64_t calls;
    unsigned starts; /* of plans since the last call */
    _Atomic uint64_t *entered, untold;
    struct summand__notices notices;
    struct summand__stale stale;
};

static inline int summand__channel_peer(const struct summand__channel *channel, int rank)
{
    return channel->peers ? channel->peers[rank] : rank;
}

static inline int summand__channel_tag(const struct summand__channel *channel, int tag)
{
    return channel->first_tag + tag;
}

/* A rank's presence; NULL if it is on another node or has none. */
static inline const struct summand__presence *
summand__channel_presence(const struct summand__channel *channel, int rank)
{
    int local = channel->places && rank >= 0 && rank < channel->ranks ? channel->local[rank] : -1;
    return local < 0 ? NULL : &channel->places[local];
}
