/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface between the executor and transports. It knows nothing of schedules. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wait/wait.h"

/* Groups of messages; each group is waited for separately. */
enum { SUMMAND__LINK_GROUPS = 5, SUMMAND__WHOLE_OPERATION = SUMMAND__LINK_GROUPS };

struct summand__link;

/* How to combine elements when they arrive: out = left op right, element by element. `left`: the
 * arriving elements are the left operand. */
struct summand__arrival {
    /* Called for consecutive ranges; `out` may be `right`. */
    void (*combine)(const void *context, const void *left, const void *right, void *out,
                    size_t count);
    const void *context;
    const void *with; /* the other operand, as many elements */
    void *out;        /* `with`, or the receive buffer, or elsewhere */
    bool left;
    bool alone; /* there is no other operand: `combine` is called at any time, in any order, and the
                   elements may lie in `out` already */
};

enum summand__message_flag {
    SUMMAND__PACED = 1,       /* send: it may wait for its receiver, however short it is
                                 (base/pace.h); receive: post it at once */
    SUMMAND__MULTICAST = 2,   /* one send from a rank to all others, if the transport multicasts:
                                 `peer` is ignored, and it completes when every queue has room.
                                 Multicasts are ordered among themselves only */
    SUMMAND__NONTEMPORAL = 4, /* receive: this operation does not read the data again */
    SUMMAND__VARIABLE = 8,    /* the message may be shorter than its receive */
    SUMMAND__LASTING = 16     /* send: nothing writes the data before the operation ends */
};

/* One end of a message. Counts are in units of the link: elements of a datatype, or bytes. */
struct summand__message {
    void *data; /* a send only reads it */
    size_t count;
    int peer;
    uint8_t group; /* below SUMMAND__LINK_GROUPS; messages of a group are waited for together */
    uint8_t flags; /* of enum summand__message_flag */
    /* Of a receive from a peer that `combines`; else NULL. Elements are combined when they arrive,
     * but not before `complete` is called for the group, and after those of receives posted
     * earlier. `data` may be left untouched if it is not `out`. A send of the same group to a peer
     * that combines may read exactly the elements of `out`, all or none. Of a send to a peer that
     * combines, of elements without gaps: called with `left` alone for consecutive ranges, each
     * before it leaves, and for all before a later message to this peer leaves; then `combine` must
     * last until the group is complete. */
    const struct summand__arrival *combine;
};

/* Messages between the same two ranks arrive in the order of posting. The caller may reuse the
 * message struct when the call returns, and its data when its group is complete. Functions return 0
 * or the transport's error code (an MPI error code for transports over MPI). */
struct summand__transport {
    const char *name;
    int (*send)(struct summand__link *link, const struct summand__message *message);
    int (*recv)(struct summand__link *link, const struct summand__message *message);
    /* Replaces `recv` if `complete` follows for the group, with at most other receives of that
     * group in between. True: the message had arrived, or with `soon` arrived shortly, and all
     * earlier messages of the link are complete. False: nothing was done. NULL: not supported. */
    bool (*take)(struct summand__link *link, const struct summand__message *message, bool soon);
    /* True if messages from this peer can be combined on arrival. Needs SUMMAND__COMBINES. */
    bool (*combines)(const struct summand__link *link, int peer);
    /* Tells if all messages of the group posted since its last completion are complete; with
     * `block`, waits for them. Messages of other groups progress meanwhile. */
    int (*complete)(struct summand__link *link, unsigned group, bool block, bool *done);
    /* Progresses the messages of all groups once, while this rank waits for something else.
     * Receives of groups that the rank does not wait for are not combined. True if something is
     * known to have moved; `sending`: sends may be incomplete. `complete` returns the errors. */
    bool (*progress)(struct summand__link *link, bool *sending);
    /* Calls `each` with the communicator rank of the peer of each message in flight; perhaps
     * several times for one rank. */
    void (*awaited)(const struct summand__link *link, void (*each)(void *context, int rank),
                    void *context);
};

/* Abilities of a link. */
enum summand__ability {
    SUMMAND__COMBINES = 1,        /* messages from some peers: ask `combines` */
    SUMMAND__MULTICASTS = 2,      /* one send may reach all other ranks */
    SUMMAND__RENDEZVOUS_READ = 4, /* receivers may read long messages in their senders' memory */
    SUMMAND__YIELDS = 8,          /* a failed poll lets other processes run */
    SUMMAND__LITTERS = 16,        /* messages that are never received stay in the MPI */
    SUMMAND__ENDS = 32            /* each rank ends the operation: behind all of its groups, it
                                     completes SUMMAND__WHOLE_OPERATION */
};

/* One operation's end of a transport. */
struct summand__link {
    const struct summand__transport *transport;
    unsigned abilities;        /* of enum summand__ability */
    unsigned moves;            /* grows when a message has moved */
    int tag;                   /* of the operation */
    struct summand__wait wait; /* of `complete`, and of repeated polls */
};

/* One-sided communication: a rank writes into memory that another rank has exposed, and increments
 * a counter there. The other rank posts nothing; it tests its counters and waits for them. */

struct summand__state;
struct summand__window;

enum { SUMMAND__EVERY_RANK = -1, SUMMAND__NO_COUNTER = -1, SUMMAND__ANY_PRODUCER = -1 };

enum summand__window_ability {
    SUMMAND__PASSIVE_TARGET = 1,   /* puts arrive whatever the target does; else only while it calls
                                      functions of this window (`test` if no other) */
    SUMMAND__NOTIFY_COMPLETES = 2, /* when a put with a counter, or `notify`, returns, all that this
                                      rank put to the target before has arrived */
    SUMMAND__GETS = 4              /* the window has `get` and `complete` */
};

/* The memory that each rank exposes; the same on all ranks. */
struct summand__window_spec {
    const size_t *slot_bytes; /* data bytes of each slot; the caller's again after `open` */
    int slots;
    int counters;         /* of 64 bits, zero at first; each is incremented by one rank only */
    size_t head, trailer; /* bytes reserved before and after each slot's data, for a transport over
                             this one */
    bool deadline; /* of this rank: all waits must end in time, so MPI windows cannot be used */
};

enum summand__put_flag {
    SUMMAND__PUT_NO_WAIT = 1 /* the caller may reuse the data only after `flush`; without this flag,
                                when `put` returns */
};

struct summand__put {
    const void *data;
    size_t bytes; /* may be 0 */
    int rank;     /* the target, perhaps this rank itself */
    int slot;
    ptrdiff_t offset; /* bytes from the start of the slot's data: -head to slot_bytes + trailer -
                         bytes */
    int counter;      /* the target's counter, incremented after the data; or SUMMAND__NO_COUNTER */
    uint64_t more;    /* added to the counter's increment of one */
    uint8_t flags;    /* of enum summand__put_flag */
};

/* Reads bytes of another rank's slot, whatever that rank does. */
struct summand__get {
    void *data; /* complete after `flush` */
    size_t bytes;
    int rank, slot;
    size_t offset;
};

/* Waits until this rank's counter has reached `value`. */
struct summand__counter_wait {
    int counter;
    int producer; /* the rank that increments it, watched meanwhile; or SUMMAND__ANY_PRODUCER: all
                     ranks are watched */
    uint64_t value;
};

/* A rank that sees a counter's increment also sees all data that the producer put to this rank
 * before it, in any slot, by any call. Each counter has one producer during the window's life. So
 * the k-th increment is visible only after the producer's first k puts to it.
 *
 * Functions return 0 or the transport's error code. If arguments are wrong or memory is missing,
 * nothing was done. After a timeout the wait may be repeated. After any other error only `close`
 * may be called. */
struct summand__window_transport {
    const char *name;
    unsigned abilities; /* of enum summand__window_ability */
    int named; /* used only if named, by the caller or by this value of SUMMAND_TRANSPORT (enum
                  summand__transport_choice); 0: used if available */
    /* True if it connects all ranks of the communicator; the same on all of them. */
    bool (*available)(const struct summand__state *state);
    /* Collective. Opens a window on all ranks, or returns an error on all of them with `*window`
     * NULL: MPI_ERR_UNSUPPORTED_OPERATION if this transport turns out to be unusable. The state
     * must outlive the window. */
    int (*open)(struct summand__state *state, const struct summand__window_spec *spec,
                struct summand__window **window);
    /* Local. Call it when no rank puts to this one any more, or after an error. */
    void (*close)(struct summand__window *window);
    int (*put)(struct summand__window *window, const struct summand__put *put);
    /* NULL without SUMMAND__GETS. */
    int (*get)(struct summand__window *window, const struct summand__get *get);
    /* Waits until all puts of this rank have arrived at the target, which is not told. NULL without
     * SUMMAND__GETS. */
    int (*complete)(struct summand__window *window, int rank);
    /* The address of another rank's slot if this rank can load and store there instead of get and
     * put; else NULL. May be NULL itself. */
    unsigned char *(*address)(const struct summand__window *window, int rank, int slot);
    /* Increments a counter without data. */
    int (*notify)(struct summand__window *window, int rank, int counter);
    /* Tells if the caller may reuse the data of all puts to the rank, or to SUMMAND__EVERY_RANK,
     * and if all gets are complete; with `block`, waits for it. Progresses transfers. */
    int (*flush)(struct summand__window *window, int rank, bool block, bool *done);
    /* Progresses puts from and to this rank, for callers that wait for other things. NULL: puts
     * need no progress calls. */
    int (*progress)(struct summand__window *window);
    /* Tells if this rank's counter has reached `value`. Progresses transfers. */
    int (*test)(struct summand__window *window, int counter, uint64_t value, bool *done);
    /* The value of this rank's counter, as far as it is known here. Progresses transfers. */
    int (*read)(struct summand__window *window, int counter, uint64_t *value);
    /* The address of this rank's existing counter; a load with acquire order then replaces `read`.
     * NULL, or no such function: call `read`. */
    const _Atomic uint64_t *(*place)(const struct summand__window *window, int counter);
    /* Waits for one of `n` > 0 counters; `*which` is the first in the list that has reached its
     * value. `timeout`: seconds; 0: SUMMAND_TIMEOUT. After a timeout, or if a rank has ended or
     * aborted, returns the error of `watch`. */
    int (*wait_any)(struct summand__window *window, int n,
                    const struct summand__counter_wait *waits, double timeout, int *which);
};

/* A slot of this rank's memory. */
struct summand__window_slot {
    unsigned char *data; /* aligned to cache lines; zero at first, as are head and trailer */
    size_t bytes;
};

struct summand__window {
    const struct summand__window_transport *transport;
    struct summand__window_slot *slot;
    int slots, counters;
    size_t head, trailer;
    /* Checked during long waits, with its own timeout if the call's is 0. NULL: the window's own
     * watch. */
    struct summand__watch *watch;
};

static inline int summand__window_wait(struct summand__window *window, int counter, int producer,
                                       uint64_t value, double timeout)
{
    struct summand__counter_wait wait = {counter, producer, value};
    int which;
    return window->transport->wait_any(window, 1, &wait, timeout, &which);
}
