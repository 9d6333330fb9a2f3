/* SPDX-License-Identifier: BSD-3-Clause */
/* Events in order of time; events of equal time in order of their pushes. */
#ifndef SUMMAND_LAB_SIMULATE_EVENT_QUEUE_H
#define SUMMAND_LAB_SIMULATE_EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct summand__event {
    double time;
    uint64_t number; /* set by push */
    uint32_t kind, subject;
};

struct summand__event_queue {
    struct summand__event *heap;
    size_t length, capacity;
    uint64_t pushed;
};

/* False when out of memory. */
bool summand__event_push(struct summand__event_queue *queue, double time, uint32_t kind,
                         uint32_t subject);
/* The earliest event; the queue must not be empty. */
struct summand__event summand__event_pop(struct summand__event_queue *queue);
void summand__event_queue_free(struct summand__event_queue *queue);

#endif
