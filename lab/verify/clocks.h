/* SPDX-License-Identifier: BSD-3-Clause */
/* Vector clocks over messages and counters: they tell which steps of other ranks are certainly
 * over.
 *
 * A rank's clock says, for each rank, up to which of its steps all is known to be over. A completed
 * receive merges the sender's clock of when the send was posted. A wait for a counter merges the
 * clock of the notification that makes it true. Each counter has one producer, so that
 * notification, and hence every clock, does not depend on timing: one play covers all. A completed
 * send tells the sender nothing of its receiver, as the message may be buffered.
 *
 * Two kinds of places are watched: windows, into which other ranks put, and shared places, which
 * others touch through views. A put may land at any time after its step, until its target waits for
 * a later notification. So the last write and the last read of the owner suffice per element: every
 * access must know that all accesses it could clash with are over. Between starts a shared place
 * belongs to its caller. So a rank that touches a view must know that the place's rank has begun
 * the start. That rank's start may end only when it knows that the access is over. So accesses
 * before a start never clash.
 *
 * Source: Lamport (1978), Fidge and Mattern (1988) for the clocks; Flanagan and Freund, "FastTrack"
 * (2009), for keeping one write per element. Cost: O(ranks) per message, notification and wait,
 * O(1) per element touched. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "schedule/compute.h"

/* Rounds whose messages may be in flight, and the current one. */
enum { SUMMAND__CLOCK_ROUNDS = SUMMAND__GROUPS + 1 };

/* How an element is touched in a start. */
enum summand__clocks_touch {
    SUMMAND__OWNER_READS = 1,
    SUMMAND__OWNER_WRITES = 2,
    SUMMAND__PUTS = 4,
    SUMMAND__VIEW_READS = 8,
    SUMMAND__VIEW_WRITES = 16
};

/* An element of a window or of a shared place. */
struct summand__shadow {
    int32_t writer;          /* rank of the last write; -1: none yet */
    uint8_t touched, before; /* in this start and in the previous one: bits of the enum above */
    uint64_t wrote; /* by the owner: time when the write is over; by a put: its number; through a
                       view: the writer's time */
    uint64_t read;  /* time when the owner's last read is over */
};

/* The target knows from that time on that puts [.., upto) of a rank to it are over. */
struct summand__landed {
    uint64_t upto, time;
};

struct summand__put_pair {
    uint64_t puts;
    struct summand__landed *landed;
    size_t n_landed, room;
};

struct summand__counted {
    uint64_t notified;
    int64_t lowest;  /* lowest value of any wait, from the start on */
    uint64_t *clock; /* per notification: the producer's clock and the number of puts before it */
    size_t room;
};

struct summand__clocks {
    int ranks;
    const struct summand__schedule *schedules;
    uint64_t start;   /* the current one, from 0 */
    uint64_t *time;   /* ranks x ranks: clocks */
    uint64_t *posted; /* per rank: clocks at the begin of its last rounds */
    uint64_t *coming; /* per rank and completion group: the merged clocks of its messages */
    struct summand__put_pair *pairs; /* ranks x ranks: from, to */
    struct summand__counted *counters;
    size_t *first_counter; /* per rank */
    struct summand__shadow *shadows;
    size_t n_shadows;
    size_t *first_shadow; /* per rank and place */
    uint64_t *viewed;     /* ranks x ranks: viewer, owner: the viewer's time when its last access in
                             this start is over; 0: none */
    uint64_t *state, *before; /* at the last two ends of a start */
    size_t state_length, before_length, state_room;
};

/* False when out of memory. */
bool summand__clocks_init(struct summand__clocks *clocks, const struct summand__schedule *schedules,
                          int ranks);
void summand__clocks_free(struct summand__clocks *clocks);

/* A rank enters a round, which begins with `step`. */
void summand__clocks_enter(struct summand__clocks *clocks, int rank, size_t step, size_t round);
/* A rank reaches a step that is no message. */
void summand__clocks_step(struct summand__clocks *clocks, int rank, size_t step);
/* A message: once `group` is over, the receiver knows what the sender knew when it posted the
 * send. */
void summand__clocks_message(struct summand__clocks *clocks, int sender, size_t send_round,
                             int receiver, unsigned group);
/* A rank's round is over, and so is its group. */
void summand__clocks_leave(struct summand__clocks *clocks, int rank, unsigned group);

/* Return the element of the window that clashes, or SIZE_MAX. The owner's accesses begin now, or
 * for a message with the round at `begin`; they are over with the step `end`. Elements of a view
 * are allowed too. */
size_t summand__clocks_read(struct summand__clocks *clocks, int owner, struct summand__region what,
                            size_t begin, size_t end);
size_t summand__clocks_write(struct summand__clocks *clocks, int owner, struct summand__region what,
                             size_t begin, size_t end);
/* The same for a put, of which the window's owner does not know yet. */
size_t summand__clocks_put(struct summand__clocks *clocks, int rank, int peer,
                           struct summand__region to);

/* False when out of memory. */
bool summand__clocks_notify(struct summand__clocks *clocks, int rank, int peer, uint32_t counter);
uint64_t summand__clocks_notified(const struct summand__clocks *clocks, int rank, uint32_t counter);
/* True if the wait is over; the rank then knows what the notification's producer did. Without
 * memory it may miss this; then later accesses clash. */
bool summand__clocks_wait(struct summand__clocks *clocks, int rank, size_t step);

/* At the end of a start: returns a rank whose place `*viewer` may still touch through a view, or
 * -1. */
int summand__clocks_viewed(const struct summand__clocks *clocks, int *viewer);

/* At the end of a start: returns an element that this start did not touch as the previous one did,
 * with its `*owner` and `*place`. SIZE_MAX: none. Only then does summand__clocks_turn tell of
 * further starts. */
size_t summand__clocks_differ(const struct summand__clocks *clocks, int *owner, unsigned *place);

/* Ends a start and its play; the next one follows. `recurs`: relative to the start, all clocks and
 * all knowledge of each element are the same as at the end of the previous start. So all further
 * starts are like this one. False when out of memory. */
bool summand__clocks_turn(struct summand__clocks *clocks, bool *recurs);
