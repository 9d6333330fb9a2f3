/* The seam between the executor and what carries messages. Knows nothing of schedules. */
#ifndef SUMMAND_TRANSPORT_TRANSPORT_H
#define SUMMAND_TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

struct summand__link;

/* What to do with elements that arrive, right there: `reduce` is called for consecutive ranges of
 * them, each element once, in the order of the receives that were posted with the same regions. */
struct summand__combine {
    /* inout = in op inout: `in` is the left operand */
    void (*reduce)(const void *context, const void *in, void *inout, size_t count);
    const void *context;
    void *with; /* as many elements, combined with those that arrive */
    /* Arriving elements are the right operands and their places hold the results; else they are
     * the left ones, the results are in `with`, and what their own places hold is undefined. */
    bool keep;
};

/* Messages between the same two ranks arrive in the order in which they were posted. Functions
 * return 0 or an error code of the transport (an MPI error code for those over MPI). */
struct summand__transport {
    const char *name;
    int (*send)(struct summand__link *link, int peer, const void *data, size_t count);
    int (*recv)(struct summand__link *link, int peer, void *data, size_t count);
    /* As recv, for elements with which more is to be done when they arrive: not before `complete`
     * is called. A send of the same round may read the very elements of `with`, all of them or
     * none. NULL, or where `combines` says no: to be received and combined one after the other. */
    int (*recv_combine)(struct summand__link *link, int peer, void *data, size_t count,
                        const struct summand__combine *combine);
    bool (*combines)(const struct summand__link *link, int peer);
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
