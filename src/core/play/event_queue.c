/* SPDX-License-Identifier: BSD-3-Clause */
#include "play/event_queue.h"

#include <string.h>

#include "play/grow.h"

/* A list of FEW events is sorted by insertion. An insertion behind which MANY events lie spreads
 * them instead. */
enum { FEW = 16, MANY = 64 };

static void enlist(struct summand__event_queue *queue, struct summand__event_list *list,
                   uint32_t item)
{
    if (list->length++)
        queue->items[list->last].next = item;
    else
        list->first = item;
    list->last = item;
}

static bool append(struct summand__event_queue *queue, struct summand__event_list *list,
                   const struct summand__event *event)
{
    uint32_t item = queue->free;
    if (queue->freed) {
        queue->freed--;
        queue->free = queue->items[item].next;
    } else {
        if (queue->used == queue->capacity) {
            void *grown = summand__grown(queue->items, &queue->capacity, sizeof *queue->items);
            if (!grown)
                return false;
            queue->items = grown;
        }
        item = queue->used++;
    }
    queue->items[item].event = *event;
    enlist(queue, list, item);
    return true;
}

static bool make_room(struct summand__event_queue *queue)
{
    if (queue->at > queue->room / 2) {
        memmove(queue->sorted, queue->sorted + queue->at,
                (queue->end - queue->at) * sizeof *queue->sorted);
        queue->end -= queue->at;
        queue->at = 0;
        return true;
    }
    void *grown = summand__grown(queue->sorted, &queue->room, sizeof *queue->sorted);
    if (grown)
        queue->sorted = grown;
    return grown;
}

/* Inserts among the first events, behind those of equal time. */
static bool insert(struct summand__event_queue *queue, const struct summand__event *event)
{
    struct summand__event one = *event;
    if (queue->end == queue->room && !make_room(queue))
        return false;
    uint32_t hole = queue->end++;
    for (; hole > queue->at && queue->sorted[hole - 1].time > one.time; hole--)
        queue->sorted[hole] = queue->sorted[hole - 1];
    queue->sorted[hole] = one;
    return true;
}

/* Grows with the time: so no event passes an earlier one. */
static uint32_t bucket_of(const struct summand__event_rung *rung, double time)
{
    double bucket = (time - rung->start) * rung->per_second, last = rung->end - rung->begin - 1;
    return rung->begin + (bucket >= last ? (uint32_t)last : bucket > 0 ? (uint32_t)bucket : 0);
}

/* Makes a rung of so many empty buckets. */
static bool add_rung(struct summand__event_queue *queue, uint32_t length, double start, double span)
{
    struct summand__event_rung *rung = &queue->rung[queue->rungs];
    uint32_t begin = queue->rungs ? rung[-1].end : 0;
    while (queue->bucket_room < begin + length) {
        void *grown = summand__grown(queue->buckets, &queue->bucket_room, sizeof *queue->buckets);
        if (!grown)
            return false;
        queue->buckets = grown;
    }
    memset(queue->buckets + begin, 0, length * sizeof *queue->buckets);
    *rung = (struct summand__event_rung){start, length / span, begin, begin, begin + length};
    queue->rungs++;
    return true;
}

/* Sorts the events of a list, and frees its items. */
static bool sort(struct summand__event_queue *queue, const struct summand__event_list *list)
{
    for (uint32_t i = 0, at = list->first; i < list->length; i++, at = queue->items[at].next)
        if (!insert(queue, &queue->items[at].event))
            return false;
    queue->items[list->last].next = queue->free;
    queue->free = list->first;
    queue->freed += list->length;
    return true;
}

/* Sorts the events of a list if they are few or of one time, else spreads them over a new rung.
 * Returns the last time in `*latest`. */
static bool spread(struct summand__event_queue *queue, const struct summand__event_list *list,
                   double *latest)
{
    double least = queue->items[list->first].event.time, most = least;
    for (uint32_t i = 1, at = list->first; i < list->length; i++) {
        at = queue->items[at].next;
        double time = queue->items[at].event.time;
        least = time < least ? time : least;
        most = time > most ? time : most;
    }
    *latest = most;
    if (list->length <= FEW || least == most || queue->rungs == SUMMAND__RUNGS)
        return sort(queue, list);
    if (!add_rung(queue, list->length, least, most - least))
        return false;
    const struct summand__event_rung rung = queue->rung[queue->rungs - 1];
    for (uint32_t i = 0, item = list->first, next; i < list->length; i++, item = next) {
        next = queue->items[item].next;
        enlist(queue, &queue->buckets[bucket_of(&rung, queue->items[item].event.time)], item);
    }
    return true;
}

/* Spreads the sorted events, and a later pushed one. */
static bool spread_sorted(struct summand__event_queue *queue, const struct summand__event *event)
{
    struct summand__event_list list = {0};
    double latest;
    for (; queue->at < queue->end; queue->at++)
        if (!append(queue, &list, &queue->sorted[queue->at]))
            return false;
    queue->at = queue->end = 0;
    return append(queue, &list, event) && spread(queue, &list, &latest);
}

bool summand__event_push(struct summand__event_queue *queue, double time, uint32_t kind,
                         uint32_t subject)
{
    const struct summand__event event = {time, kind, subject};
    queue->length++;
    if (!queue->limited || time > queue->limit)
        return append(queue, &queue->far, &event);
    for (uint32_t r = 0; r < queue->rungs; r++) {
        uint32_t bucket = bucket_of(&queue->rung[r], time);
        if (bucket >= queue->rung[r].next)
            return append(queue, &queue->buckets[bucket], &event);
    }
    if (queue->end - queue->at > MANY && queue->sorted[queue->end - MANY].time > time &&
        queue->rungs < SUMMAND__RUNGS)
        return spread_sorted(queue, &event);
    return insert(queue, &event);
}

bool summand__event_refill(struct summand__event_queue *queue)
{
    struct summand__event_list list = {0};
    double latest;
    queue->at = queue->end = 0;
    while (queue->rungs && !list.length) {
        struct summand__event_rung *rung = &queue->rung[queue->rungs - 1];
        if (rung->next == rung->end)
            queue->rungs--;
        else
            list = queue->buckets[rung->next++];
    }
    if (list.length)
        return spread(queue, &list, &latest);
    list = queue->far;
    queue->far = (struct summand__event_list){0};
    queue->limited = true;
    return spread(queue, &list, &queue->limit);
}

void summand__event_queue_free(struct summand__event_queue *queue)
{
    free(queue->sorted);
    free(queue->buckets);
    free(queue->items);
    *queue = (struct summand__event_queue){0};
}
