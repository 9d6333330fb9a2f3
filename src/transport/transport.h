/* The seam between the executor and what carries messages. Knows nothing of schedules. */
#ifndef SUMMAND_TRANSPORT_TRANSPORT_H
#define SUMMAND_TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Groups of messages that are waited for each on its own. */
enum { SUMMAND__LINK_GROUPS = 5 };

struct summand__link;
struct summand__watch;

/* What to do with elements when they arrive: out = left op right, element by element, where they
 * are the left or the right operand. */
struct summand__arrival {
    /* Called for consecutive ranges; `out` may be `right`. */
    void (*combine)(const void *context, const void *left, const void *right, void *out,
                    size_t count);
    const void *context;
    const void *with; /* the other operand, as many elements */
    void *out;        /* `with`, or the place where they would be received, or elsewhere */
    bool left;
};

enum summand__message_flag {
    SUMMAND__PACED = 1,     /* of a send: it may wait for its receiver, however short (base/pace.h);
                               of a receive: post it at once */
    SUMMAND__MULTICAST = 2, /* from one rank to all others, where the transport multicasts: one send
                               reaches them all, `peer` is ignored, and it completes when every
                               queue has room. Such messages are in order among themselves only */
    SUMMAND__NONTEMPORAL = 4, /* of a receive: this operation does not read again what arrives */
};

/* One end of a message. Counts are in units of what the link was opened for: elements of a
 * datatype, or bytes. */
struct summand__message {
    void *data; /* of a send: only read */
    size_t count;
    int peer;
    uint8_t group; /* below SUMMAND__LINK_GROUPS: what is waited for together */
    uint8_t flags; /* of enum summand__message_flag */
    /* Of a receive from a peer for which `combines` says yes; else NULL. Elements are combined when
     * they arrive, though not before `complete` is called for the group; those of receives that
     * were posted earlier first. `data` may be left untouched if it is not `out`. A send of the
     * same group to a peer that combines may read the very elements of `out`, all of them or none.
     */
    const struct summand__arrival *combine;
};

/* Messages between the same two ranks arrive in the order in which they were posted. A message is
 * the caller's again when the call returns, its data when its group is complete. Functions return 0
 * or an error code of the transport (an MPI error code for those over MPI). */
struct summand__transport {
    const char *name;
    int (*send)(struct summand__link *link, const struct summand__message *message);
    int (*recv)(struct summand__link *link, const struct summand__message *message);
    /* Whether messages from this peer can be combined as they arrive. NULL: none. */
    bool (*combines)(const struct summand__link *link, int peer);
    /* Whether one send may reach all other ranks. NULL: no. */
    bool (*multicasts)(const struct summand__link *link);
    /* Whether all messages of the group that were posted since the last time are through; with
     * `block`, waits for it. Messages of other groups move on meanwhile. */
    int (*complete)(struct summand__link *link, unsigned group, bool block, bool *done);
    /* Calls `each` for the ranks, of the communicator, that messages under way go to or come from;
     * for one perhaps several times. */
    void (*awaited)(const struct summand__link *link, void (*each)(void *context, int rank),
                    void *context);
};

/* One operation's end of a transport. */
struct summand__link {
    const struct summand__transport *transport;
    unsigned moves;               /* grows when a message has moved */
    struct summand__watch *watch; /* looked at while `complete` blocks for long; or NULL */
};

struct summand__window;

/* One-sided: data go to where the other rank has exposed memory, which takes no part but is
 * notified. Functions return 0 or an error code of the transport. */
struct summand__window_transport {
    const char *name;
    /* Writes `bytes` of data at `offset` of the rank's exposed memory, then adds one to a
     * notification of its: whoever sees that sees the data. `data` may be used again at once. */
    int (*put)(struct summand__window *window, int rank, size_t offset, const void *data,
               size_t bytes, int notification);
    /* Whether this rank's notification has come `count` times since the window was opened (counts
     * go round at 2^32); with `block`, waits for it. */
    int (*notified)(struct summand__window *window, int notification, uint32_t count, bool block,
                    bool *done);
};

/* Memory that this rank exposes to the others of a communicator, zero at first. */
struct summand__window {
    const struct summand__window_transport *transport;
    void *memory; /* aligned to cache lines */
    size_t bytes;
    int notifications;
};

#endif
