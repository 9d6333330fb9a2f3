/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/gossip/events_run.h"

#include <stdlib.h>

static bool before(const struct summand__event *a, const struct summand__event *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

bool summand__queue_post(struct summand__queue *queue, struct summand__event event)
{
    if (queue->count == queue->capacity) {
        int capacity = queue->capacity ? 2 * queue->capacity : 256;
        void *grown = realloc(queue->heap, capacity * sizeof *queue->heap);
        if (!grown)
            return false;
        queue->heap = grown;
        queue->capacity = capacity;
    }
    event.order = queue->posted++;
    int at = queue->count++;
    for (; at && before(&event, &queue->heap[(at - 1) / 2]); at = (at - 1) / 2)
        queue->heap[at] = queue->heap[(at - 1) / 2];
    queue->heap[at] = event;
    return true;
}

struct summand__event summand__queue_take(struct summand__queue *queue)
{
    struct summand__event first = queue->heap[0], last = queue->heap[--queue->count];
    int at = 0;
    for (;;) {
        int child = 2 * at + 1;
        if (child >= queue->count)
            break;
        if (child + 1 < queue->count && before(&queue->heap[child + 1], &queue->heap[child]))
            child++;
        if (!before(&queue->heap[child], &last))
            break;
        queue->heap[at] = queue->heap[child];
        at = child;
    }
    queue->heap[at] = last;
    return first;
}
