/* SPDX-License-Identifier: BSD-3-Clause */
/* Vector clocks over messages and counters: which steps of other ranks are certainly over.
 *
 * A rank's clock says, for each rank, up to which of its steps all is known to be over. A receive
 * that is waited for takes over the sender's clock of when it was posted, and a wait for a counter
 * that of the notification which makes it true. Each counter has one producer, so which
 * notification that is does not depend on timing, and neither does any clock: one play covers all.
 * A sender knows nothing of its receiver when its send is over, as it may have been buffered.
 *
 * Watched are windows, which other ranks put into, and shared places, which others touch through
 * views. A put lies in the window from its
 * step on, at a time that nobody knows until a notification behind it has been waited for there. So
 * per element the last write and the last read of its owner suffice: every access must know that
 * what it could clash with is over. A shared place is its caller's between starts: so a rank that
 * touches a view must know that the place's rank has begun the start, and that rank's start may end
 * only when it knows that the access is over. So what was before a start never clashes.
 *
 * Source: Lamport (1978), Fidge and Mattern (1988) for the clocks; Flanagan and Freund, "FastTrack"
 * (2009), for keeping one write per element. Cost: O(ranks) per message, notification and wait,
 * O(1) per element touched. */
#ifndef SUMMAND_LAB_VERIFY_CLOCKS_H
#define SUMMAND_LAB_VERIFY_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "schedule/compute.h"

/* Rounds whose messages may be under way, and the current one. */
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
    int32_t writer;          /* the last one; -1: nobody has written it */
    uint8_t touched, before; /* in this start, and in the one before: of the enum above */
    uint64_t wrote; /* the owner's: time when that is over; another's: the number of its put, or,
                       through a view, time of its own */
    uint64_t read;  /* time when the owner's last read is over */
};

/* Puts [.., upto) of a rank to another are known there to be over since that time. */
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
    int64_t lowest;  /* value that is ever waited for, from the start on */
    uint64_t *clock; /* of each notification: ranks and the number of puts before it */
    size_t room;
};

struct summand__clocks {
    int ranks;
    const struct summand__schedule *schedules;
    uint64_t start;                  /* the current one, from 0 */
    uint64_t *time;                  /* ranks x ranks: clocks */
    uint64_t *posted;                /* per rank: clocks at the begin of its last rounds */
    uint64_t *coming;                /* per rank and completion group: what its messages bring */
    struct summand__put_pair *pairs; /* ranks x ranks: from, to */
    struct summand__counted *counters;
    size_t *first_counter; /* per rank */
    struct summand__shadow *shadows;
    size_t n_shadows;
    size_t *first_shadow;     /* per rank and place */
    uint64_t *viewed;         /* ranks x ranks: viewer, owner: time of the viewer when its last
                                 access in this start is over; 0: none */
    uint64_t *state, *before; /* at the last two ends of a start */
    size_t state_length, before_length, state_room;
};

/* False when out of memory. */
bool summand__clocks_init(struct summand__clocks *clocks, const struct summand__schedule *schedules,
                          int ranks);
void summand__clocks_free(struct summand__clocks *clocks);

/* A rank enters a round, whose first step this is. */
void summand__clocks_enter(struct summand__clocks *clocks, int rank, size_t step, size_t round);
/* A rank comes to a step that is no message. */
void summand__clocks_step(struct summand__clocks *clocks, int rank, size_t step);
/* A message: the receiver knows what the sender knew when it posted it, once `group` is over. */
void summand__clocks_message(struct summand__clocks *clocks, int sender, size_t send_round,
                             int receiver, unsigned group);
/* A rank's round is over, and its group with it. */
void summand__clocks_leave(struct summand__clocks *clocks, int rank, unsigned group);

/* These return the element of the window that clashes, or SIZE_MAX. The owner's accesses begin now
 * or, of a message, at the begin of the round at `begin`, and are over with the step `end`. */
size_t summand__clocks_read(struct summand__clocks *clocks, int owner, struct summand__region what,
                            size_t begin, size_t end);
size_t summand__clocks_write(struct summand__clocks *clocks, int owner, struct summand__region what,
                             size_t begin, size_t end);
/* Of a view's elements, too. A put, which the owner of the window does not know of yet. */
size_t summand__clocks_put(struct summand__clocks *clocks, int rank, int peer,
                           struct summand__region to);

/* False when out of memory. */
bool summand__clocks_notify(struct summand__clocks *clocks, int rank, int peer, uint32_t counter);
uint64_t summand__clocks_notified(const struct summand__clocks *clocks, int rank, uint32_t counter);
/* Whether the wait is over; the rank then knows what the notification's producer did. Memory: its
 * note of that may be missing, which makes later accesses clash. */
bool summand__clocks_wait(struct summand__clocks *clocks, int rank, size_t step);

/* At the end of a start: a rank whose place `*viewer` may still touch through a view, or -1. */
int summand__clocks_viewed(const struct summand__clocks *clocks, int *viewer);

/* At the end of a start: whether it has touched each element as the start before did; else
 * `*owner`,
 * `*place` and the return value name one that it has not. SIZE_MAX: all. Without that nothing can
 * be said about further starts (summand__clocks_turn). */
size_t summand__clocks_differ(const struct summand__clocks *clocks, int *owner, unsigned *place);

/* The end of a start, and of the play of it: the next one follows. `recurs`: all clocks, and all
 * that is known of each element, are what they were at the end of the start before, relative to
 * it: so all further starts are like the last one. False when out of memory. */
bool summand__clocks_turn(struct summand__clocks *clocks, bool *recurs);

#endif
