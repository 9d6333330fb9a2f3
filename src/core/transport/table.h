/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of transports. Adding one is a file with a `struct summand__transport_entry` and a line
 * in table.c. */
#ifndef SUMMAND_TRANSPORT_TABLE_H
#define SUMMAND_TRANSPORT_TABLE_H

#include <mpi.h>

#include "comm/state.h"
#include "transport/transport.h"
#include "wait/wait.h"

/* What a link is opened for. */
struct summand__link_spec {
    const struct summand__state *state;
    MPI_Datatype datatype; /* of elements that messages count */
    int tag;
    const int *rank_of; /* rank in the communicator of each rank of the schedule, or NULL: the same;
                           stays the caller's */
    size_t most;        /* the largest number of messages in flight */
};

struct summand__transport_entry {
    struct summand__transport transport; /* first: what links point to */
    /* Whether it reaches all ranks of the communicator from this one. Ranks may take different
     * entries where these agree on how messages go between the two. */
    bool (*available)(const struct summand__state *state);
    /* Of links between these ranks: of enum summand__ability. */
    unsigned (*abilities)(const struct summand__state *state);
    /* NULL when out of memory. */
    struct summand__link *(*open)(const struct summand__link_spec *spec);
    /* False if messages are still under way which nothing can call back: what they are sent from,
     * and received in, is to stay. Only after an error. */
    bool (*close)(struct summand__link *link);
    /* Elements of another datatype from the next message on. */
    void (*set_datatype)(struct summand__link *link, MPI_Datatype datatype);
    /* The link has another tag; for those over others, else NULL. */
    void (*set_tag)(struct summand__link *link, int tag);
    void (*set_watch)(struct summand__link *link, struct summand__watch *watch);
    /* This rank has aborted the operation with the tag: its messages that are still to come are to
     * be dropped. */
    void (*abort)(struct summand__state *state, int tag);
};

/* Ends with NULL; the first one that is available is the one to take. */
extern const struct summand__transport_entry *const summand__transports[];

extern const struct summand__transport_entry summand__shm_transport, summand__mixed_transport,
    summand__p2p_transport;

/* An entry that lies over those of the table; NULL but in tests, which set it before the first
 * call (test/late/late.h). */
extern const struct summand__transport_entry *summand__transport_over;

/* The entry for links of this communicator, and the one of the table alone: there is always one. */
const struct summand__transport_entry *summand__transport_for(const struct summand__state *state);
const struct summand__transport_entry *summand__transport_below(const struct summand__state *state);

static inline const struct summand__transport_entry *
summand__transport_of(const struct summand__link *link)
{
    return (const struct summand__transport_entry *)link->transport;
}

/* Another tag from the next message on. */
static inline void summand__link_set_tag(struct summand__link *link, int tag)
{
    const struct summand__transport_entry *entry = summand__transport_of(link);
    link->tag = tag;
    if (entry->set_tag)
        entry->set_tag(link, tag);
}

/* What `set_watch` does for a link that is over no others. */
void summand__link_set_watch(struct summand__link *link, struct summand__watch *watch);

#endif
