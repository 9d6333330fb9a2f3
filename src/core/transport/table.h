/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of transports. A new one is a file with a `struct summand__transport_entry` and a line
 * in table.c. */
#pragma once

#include <mpi.h>

#include "comm/state.h"
#include "transport/transport.h"
#include "wait/wait.h"

/* Arguments for opening a link. */
struct summand__link_spec {
    const struct summand__state *state;
    MPI_Datatype datatype; /* of the elements that messages count */
    int tag;
    const int *rank_of; /* rank in the communicator of each rank of the schedule, or NULL: the same;
                           stays the caller's */
    size_t most;        /* the largest number of messages in flight */
    /* Of a link over another one: its row; NULL: that of summand__transport_for. */
    const struct summand__transport_entry *lower;
    int checked;   /* enum summand__checked_choice */
    bool compared; /* behind the operation all ranks compare words: all have all by then */
};

struct summand__transport_entry {
    struct summand__transport transport; /* first: links point to it */
    /* True if this rank reaches all ranks of the communicator. Two ranks may use different entries
     * if both entries carry their messages in the same way. */
    bool (*available)(const struct summand__state *state);
    /* Abilities of links between these ranks (enum summand__ability). */
    unsigned (*abilities)(const struct summand__state *state);
    /* NULL when out of memory. */
    struct summand__link *(*open)(const struct summand__link_spec *spec);
    /* False, only after an error, if messages in flight cannot be cancelled: their buffers must
     * stay allocated. */
    bool (*close)(struct summand__link *link);
    /* Sets another datatype from the next message on. */
    void (*set_datatype)(struct summand__link *link, MPI_Datatype datatype);
    /* Called when the link's tag has changed; NULL except for links over other links. */
    void (*set_tag)(struct summand__link *link, int tag);
    /* Both links are of one operation, and the first continues where the second stopped. NULL if
     * that is nothing to them. */
    void (*resume)(struct summand__link *link, struct summand__link *stopped);
    void (*set_watch)(struct summand__link *link, struct summand__watch *watch);
    /* This rank has aborted the operation with the tag: its later messages must be dropped. */
    void (*abort)(struct summand__state *state, int tag);
};

/* Ends with NULL; the first available one is used. */
extern const struct summand__transport_entry *const summand__transports[];

extern const struct summand__transport_entry summand__shm_transport, summand__mixed_transport,
    summand__p2p_transport;

/* Messages with seals (transport/sealed.c), over the one that would be used otherwise. */
extern const struct summand__transport_entry summand__sealed_transport;

/* A transport on top of the table's, or NULL: damage on purpose (transport/injected.h), and tests,
 * which set it before the first call (test/late/late.h). */
extern const struct summand__transport_entry *summand__transport_over;

/* The entry for links of this communicator; `_below`: that of the table. Never NULL. */
const struct summand__transport_entry *summand__transport_for(const struct summand__state *state);
const struct summand__transport_entry *summand__transport_below(const struct summand__state *state);

static inline const struct summand__transport_entry *
summand__transport_of(const struct summand__link *link)
{
    return (const struct summand__transport_entry *)link->transport;
}

/* Sets another tag from the next message on. */
static inline void summand__link_set_tag(struct summand__link *link, int tag)
{
    const struct summand__transport_entry *entry = summand__transport_of(link);
    link->tag = tag;
    if (entry->set_tag)
        entry->set_tag(link, tag);
}

/* The first link serves the second one's operation from now on. */
static inline void summand__link_resume(struct summand__link *link, struct summand__link *stopped)
{
    const struct summand__transport_entry *entry = summand__transport_of(link);
    summand__link_set_tag(link, stopped->tag);
    if (entry->resume && link->transport == stopped->transport)
        entry->resume(link, stopped);
}

/* `set_watch` for a link that is not over other links. */
void summand__link_set_watch(struct summand__link *link, struct summand__watch *watch);
