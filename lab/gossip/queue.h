/* SPDX-License-Identifier: BSD-3-Clause */
/* Events in the order of time; equal times in the order of posting. */
#ifndef SUMMAND_LAB_GOSSIP_QUEUE_H
#define SUMMAND_LAB_GOSSIP_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

enum summand__event_kind { SUMMAND__TICK, SUMMAND__ARRIVE, SUMMAND__STOP, SUMMAND__REPORT };

struct summand__event {
    double time;
    uint64_t order;
    enum summand__event_kind kind;
    int32_t node, from;
    int32_t message; /* slot of the message */
};

struct summand__queue {
    struct summand__event *heap;
    int count, capacity;
    uint64_t posted;
};

bool summand__queue_post(struct summand__queue *queue, struct summand__event event);
/* count must be above 0. */
struct summand__event summand__queue_take(struct summand__queue *queue);

#endif
