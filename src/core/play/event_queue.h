/* SPDX-License-Identifier: BSD-3-Clause */
/* Events in order of time; events of equal time in order of their pushes.
 *
 * Events far ahead are a list without order. When the nearer ones are used up, the list is spread
 * over as many buckets of equal spans of time; a bucket of many events is spread again, one of few
 * is sorted. So an event is moved a few times, however many there are. Cost: O(1) in the mean.
 *
 * Source: the ladder queue of Tang, Goh, Thng (2005). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct summand__event {
    double time;
    uint32_t kind, subject;
};

struct summand__event_item {
    struct summand__event event;
    uint32_t next; /* in its list, or in the free list */
};

struct summand__event_list {
    uint32_t first, last, length;
};

/* The buckets [begin, end) of the queue, of which those before `next` are used up. */
struct summand__event_rung {
    double start, per_second;
    uint32_t begin, next, end;
};

enum { SUMMAND__RUNGS = 8 };

/* Zero: empty. */
struct summand__event_queue {
    uint32_t length;
    struct summand__event *sorted; /* the first events, in [at, end) */
    uint32_t at, end, room;
    struct summand__event_rung rung[SUMMAND__RUNGS]; /* each spreads a bucket of the one before */
    uint32_t rungs;
    struct summand__event_list *buckets;
    uint32_t bucket_room;
    struct summand__event_list far; /* later than `limit`; no `limit` yet: all */
    double limit;
    bool limited;
    struct summand__event_item *items;
    uint32_t used, free, capacity; /* `free` begins the free list if `freed` */
    uint32_t freed;
};

/* False when out of memory. */
bool summand__event_push(struct summand__event_queue *queue, double time, uint32_t kind,
                         uint32_t subject);
/* Sorts the next events. False when out of memory. */
bool summand__event_refill(struct summand__event_queue *queue);
void summand__event_queue_free(struct summand__event_queue *queue);

/* The earliest event, or NULL when out of memory; the queue must not be empty. */
static inline const struct summand__event *summand__event_first(struct summand__event_queue *queue)
{
    while (queue->at == queue->end)
        if (!summand__event_refill(queue))
            return NULL;
    return &queue->sorted[queue->at];
}

/* Removes it. */
static inline void summand__event_drop(struct summand__event_queue *queue)
{
    queue->at++;
    queue->length--;
}
