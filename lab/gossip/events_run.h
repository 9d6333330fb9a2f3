/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of the event simulator between two events: events.c works on it, and events_save.c saves
 * it. */
#pragma once

#include "lab/gossip/events.h"
#include <stdbool.h>
#include <stdint.h>

/* Events in order of time; equal times in order of posting. */

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
    int alone; /* consecutive ticks of processes that have no neighbour left to send to */
    double *error, truth, next_watch;
    double rms; /* of all values, in the nodes' units (their values are scaled by 2^exponent), like
                   the truth */
    int exponent;
    int *sent;
    uint64_t total_sent;
    bool *stopped, *known;      /* known: its neighbours have learnt of the stop */
    int *injected, script_left; /* flips of each scripted fault so far; remaining flips of all */
    bool fault_pending, fault_next, failed;
    union summand__word *messages; /* slots of `width` words and a version */
    int slots, *idle, idle_count;  /* idle: slots that are free */
};

/* Replaces the file atomically: a run that ends while it saves leaves the previous file. */
bool summand__events_save(struct summand__events *run, const char *path);
/* Loads into a run just opened with the same setup, except eps and most_messages. Returns NULL or
 * the error; then the run is unusable. */
const char *summand__events_load(struct summand__events *run, const char *path);
