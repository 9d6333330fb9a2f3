/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of the event simulator, between two events: what events.c works on and events_save.c
 * keeps. */
#ifndef SUMMAND_LAB_GOSSIP_EVENTS_RUN_H
#define SUMMAND_LAB_GOSSIP_EVENTS_RUN_H

#include "lab/gossip/events.h"
#include <stdbool.h>
#include <stdint.h>

/* Events in the order of time; equal times in the order of posting. */

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

struct summand__events {
    const struct summand__events_setup *setup;
    struct summand__events_outcome *outcome;
    int n, width, excess; /* excess: processes farther than eps from the truth */
    struct summand__queue queue;
    struct summand__gossip_outbox outbox;
    struct summand__gossip_node **nodes;
    struct summand__random *choice; /* one per process: which neighbour */
    struct summand__random times, network, faults;
    int alone; /* ticks in a row of processes that have nobody to send to */
    double *error, truth, next_watch;
    double rms; /* of all values, in the nodes' units, like the truth: theirs are 2^exponent */
    int exponent;
    int *sent;
    uint64_t total_sent;
    bool *stopped, *known;      /* known: its neighbours have been told */
    int *injected, script_left; /* flips of each scripted fault so far; of all to come */
    bool fault_pending, fault_next, failed;
    union summand__word *messages; /* slots of `width` words and a version */
    int slots, *idle, idle_count;  /* idle: slots that are free */
};

/* Replaces the file at once: a run that is ended while it saves leaves the one before. */
bool summand__events_save(struct summand__events *run, const char *path);
/* Into a run that has just been opened with the same setup, but for eps and most_messages. Returns
 * NULL, or what is wrong; the run is of no use then. */
const char *summand__events_load(struct summand__events *run, const char *path);

#endif
