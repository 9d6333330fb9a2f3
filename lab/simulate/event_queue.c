/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/simulate/event_queue.h"

#include <stdlib.h>

/* A heap with four children per node has half the levels of a binary one, and the four are
 * adjacent. */
enum { CHILDREN = 4 };

static bool before(const struct summand__event *a, const struct summand__event *b)
{
    return a->time < b->time || (a->time == b->time && a->number < b->number);
}

bool summand__event_push(struct summand__event_queue *queue, double time, uint32_t kind,
                         uint32_t subject)
{
    if (queue->length == queue->capacity) {
        size_t capacity = queue->capacity ? 2 * queue->capacity : 64;
        struct summand__event *heap = realloc(queue->heap, capacity * sizeof *heap);
        if (!heap)
            return false;
        queue->heap = heap;
        queue->capacity = capacity;
    }
    struct summand__event event = {time, queue->pushed++, kind, subject};
    size_t hole = queue->length++;
    while (hole && before(&event, &queue->heap[(hole - 1) / CHILDREN])) {
        queue->heap[hole] = queue->heap[(hole - 1) / CHILDREN];
        hole = (hole - 1) / CHILDREN;
    }
    queue->heap[hole] = event;
    return true;
}

struct summand__event summand__event_pop(struct summand__event_queue *queue)
{
    struct summand__event *heap = queue->heap, first = heap[0], last = heap[--queue->length];
    size_t hole = 0;
    for (;;) {
        size_t child = CHILDREN * hole + 1, end = child + CHILDREN, least = child;
        if (child >= queue->length)
            break;
        for (size_t c = child + 1; c < end && c < queue->length; c++)
            if (before(&heap[c], &heap[least]))
                least = c;
        if (!before(&heap[least], &last))
            break;
        heap[hole] = heap[least];
        hole = least;
    }
    heap[hole] = last;
    return first;
}

void summand__event_queue_free(struct summand__event_queue *queue)
{
    free(queue->heap);
    *queue = (struct summand__event_queue){0};
}
