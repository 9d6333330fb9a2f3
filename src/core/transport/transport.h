/* SPDX-License-Identifier: BSD-3-Clause */
/* The seam between the executor and what carries messages. Knows nothing of schedules. */
#ifndef SUMMAND_TRANSPORT_TRANSPORT_H
#define SUMMAND_TRANSPORT_TRANSPORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wait/wait.h"

/* Groups of messages that are waited for each on its own. */
enum { SUMMAND__LINK_GROUPS = 5 };

struct summand__link;

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
    /* In place of `recv`, if `complete` follows for its group, with at most other receives of that
     * group in between. True: the message was there, or with `soon` came at once, and all earlier
     * messages of the link are complete. False: nothing has been done. NULL: not supported. */
    bool (*take)(struct summand__link *link, const struct summand__message *message, bool soon);
    /* Whether messages from this peer can be combined as they arrive, if the link has
     * SUMMAND__COMBINES. */
    bool (*combines)(const struct summand__link *link, int peer);
    /* Whether all messages of the group that were posted since the last time are complete; with
     * `block`, waits for it. Messages of other groups progress meanwhile. */
    int (*complete)(struct summand__link *link, unsigned group, bool block, bool *done);
    /* Progresses the messages of all groups once, while this rank waits for something else.
     * Receives of groups that the rank does not wait for are not combined. Whether it knows that
     * anything moved; `sending`: whether sends may be incomplete. `complete` returns the errors. */
    bool (*progress)(struct summand__link *link, bool *sending);
    /* Calls `each` for the ranks, of the communicator, that messages under way go to or come from;
     * for one perhaps several times. */
    void (*awaited)(const struct summand__link *link, void (*each)(void *context, int rank),
                    void *context);
};

/* What a link can do. */
enum summand__ability {
    SUMMAND__COMBINES = 1,        /* messages from some peers: ask `combines` */
    SUMMAND__MULTICASTS = 2,      /* one send may reach all other ranks */
    SUMMAND__RENDEZVOUS_READ = 4, /* receivers may read long messages in their senders' memory */
    SUMMAND__ONE_SIDED = 8,       /* ranks may put into windows whatever the target does */
    SUMMAND__YIELDS = 16,         /* a failed poll lets other processes run */
    SUMMAND__LITTERS = 32         /* messages that nobody receives stay in the MPI */
};

/* One operation's end of a transport. */
struct summand__link {
    const struct summand__transport *transport;
    unsigned abilities; /* of enum summand__ability */
    unsigned moves;     /* grows when a message has moved */
    int tag;            /* of the operation */
    /* Bytes that the transport puts before and behind the data of each message, beside what the
     * transports under it do. */
    size_t head, trailer;
    struct summand__wait wait; /* of `complete`, also of repeated polls */
};

/* The one-sided half: a rank writes into memory that another rank has exposed, and counts that. The
 * other rank posts nothing; it tests and waits for its counters. */

struct summand__state;
struct summand__window;

enum { SUMMAND__EVERY_RANK = -1, SUMMAND__NO_COUNTER = -1, SUMMAND__ANY_PRODUCER = -1 };

enum summand__window_ability {
    SUMMAND__PASSIVE_TARGET = 1,   /* puts arrive whatever the target does; else only while it calls
                                      functions of this window (or none: `test` does) */
    SUMMAND__NOTIFY_COMPLETES = 2, /* when a put with a counter, or `notify`, returns, all that this
                                      rank has put to the target is there */
    SUMMAND__GETS = 4              /* it has `get` and `complete` */
};

/* What each rank exposes; the same on all ranks. */
struct summand__window_spec {
    const size_t *slot_bytes; /* of each slot's data; the caller's again after `open` */
    int slots;
    int counters;         /* of 64 bits each, zero at first; each has one rank that counts it */
    size_t head, trailer; /* bytes that are reserved before and behind each slot's data, for a
                             transport over this one */
    bool deadline; /* of this rank: all waits must end in time, so windows of the MPI will not do */
};

enum summand__put_flag {
    SUMMAND__PUT_NO_WAIT = 1 /* the data are the caller's again after `flush` only; without this
                                flag, when `put` returns */
};

struct summand__put {
    const void *data;
    size_t bytes; /* may be 0 */
    int rank;     /* the target, perhaps this rank itself */
    int slot;
    ptrdiff_t offset; /* bytes from the beginning of the slot's data: from -head to slot_bytes +
                         trailer - bytes */
    int counter;      /* of the target's, that grows behind the data; SUMMAND__NO_COUNTER */
    uint64_t more;    /* it grows by one and so many more */
    uint8_t flags;    /* of enum summand__put_flag */
};

/* Bytes of a rank's slot that this one reads, whatever the rank does. */
struct summand__get {
    void *data; /* complete after `flush` */
    size_t bytes;
    int rank, slot;
    size_t offset;
};

/* What is waited for: this rank's counter, until it has come to `value`. */
struct summand__counter_wait {
    int counter;
    int producer; /* the rank that counts it, watched while this one waits; or
                     SUMMAND__ANY_PRODUCER: all ranks are watched */
    uint64_t value;
};

/* Who sees a counter's increment also sees all data that its producer put to this rank before it,
 * in whatever slots, by whatever calls. Each counter has one producer for the window's whole life,
 * so its k-th increment is visible only after that producer's first k puts to it.
 *
 * Functions return 0 or an error code of the transport. One that finds its arguments wrong, or no
 * memory, has done nothing; after a timeout waiting may go on. After any other error only `close`
 * may be called. */
struct summand__window_transport {
    const char *name;
    unsigned abilities; /* of enum summand__window_ability */
    int named; /* taken only where it is named: by the caller, or by this value of SUMMAND_TRANSPORT
                  (enum summand__transport_choice); 0: wherever it is available */
    /* Whether it joins all ranks of the communicator: the same on all of them. */
    bool (*available)(const struct summand__state *state);
    /* Collective: a window on all ranks, or an error on all of them and `*window` NULL:
     * MPI_ERR_UNSUPPORTED_OPERATION where it turns out that this transport cannot be used. The
     * state must outlive the window. */
    int (*open)(struct summand__state *state, const struct summand__window_spec *spec,
                struct summand__window **window);
    /* Local; to be called when no rank puts to this one any more, or after an error. */
    void (*close)(struct summand__window *window);
    int (*put)(struct summand__window *window, const struct summand__put *put);
    /* NULL without SUMMAND__GETS. */
    int (*get)(struct summand__window *window, const struct summand__get *get);
    /* All that this rank has put to the target is there, which nobody is told. NULL without
     * SUMMAND__GETS. */
    int (*complete)(struct summand__window *window, int rank);
    /* Where a slot of another rank lies in the memory of this one: loads and stores there
     * stand for get and put. NULL, or no such function: nowhere. */
    unsigned char *(*address)(const struct summand__window *window, int rank, int slot);
    /* Counts without data. */
    int (*notify)(struct summand__window *window, int rank, int counter);
    /* Whether data of all puts to the rank, or to SUMMAND__EVERY_RANK, are the caller's again, and
     * those of gets are there; with `block`, waits for it. Moves on what is under way. */
    int (*flush)(struct summand__window *window, int rank, bool block, bool *done);
    /* Moves on puts of this rank and to it, for those who wait for other things. NULL: they need
     * nobody. */
    int (*progress)(struct summand__window *window);
    /* Whether this rank's counter has come to `value`. Moves on what is under way. */
    int (*test)(struct summand__window *window, int counter, uint64_t value, bool *done);
    /* How far this rank's counter has come, as far as is known here. Moves on what is under way. */
    int (*read)(struct summand__window *window, int counter, uint64_t *value);
    /* Where this rank's counter lies, which exists: a load that acquires is as good as `read`.
     * NULL, or no such function: it has to be asked for. */
    const _Atomic uint64_t *(*place)(const struct summand__window *window, int counter);
    /* Waits for one of `n` > 0 counters: `*which` is the first in the list that has come to its
     * value. `timeout`: seconds, 0: as the environment says; then, where a rank is gone, or where
     * another one has aborted, it returns the error that `watch` tells. */
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
    /* Looked at while calls wait for long, with its own timeout where theirs is 0; or NULL: a watch
     * of the window's own. */
    struct summand__watch *watch;
};

static inline int summand__window_wait(struct summand__window *window, int counter, int producer,
                                       uint64_t value, double timeout)
{
    struct summand__counter_wait wait = {counter, producer, value};
    int which;
    return window->transport->wait_any(window, 1, &wait, timeout, &which);
}

#endif
