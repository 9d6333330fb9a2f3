/* The seam between the executor and what carries messages. Knows nothing of schedules. */
#ifndef SUMMAND_TRANSPORT_TRANSPORT_H
#define SUMMAND_TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

struct summand__link;

/* Messages between the same two ranks arrive in the order in which they were posted. Functions
 * return 0 or an error code of the transport (an MPI error code for those over MPI). */
struct summand__transport {
    const char *name;
    int (*send)(struct summand__link *link, int peer, const void *data, size_t count);
    int (*recv)(struct summand__link *link, int peer, void *data, size_t count);
    /* Whether all messages posted since the last time are through; with `block`, waits for it. */
    int (*complete)(struct summand__link *link, bool block, bool *done);
};

/* One operation's end of a transport. Counts are in units of what it was opened for: elements of a
 * datatype, or bytes. */
struct summand__link {
    const struct summand__transport *transport;
    bool streams; /* many messages go from one rank to another: let few be in flight */
};

#endif
