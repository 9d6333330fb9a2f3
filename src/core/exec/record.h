/* SPDX-License-Identifier: BSD-3-Clause */
/* Records when each step of an execution began and ended on this rank, for studies. An execution
 * records if its caller has set `recording` (exec/onesided.h), else this costs nothing. A run
 * allocates nothing; of a long run the last steps are kept. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct summand__record {
    uint64_t begin, end;  /* summand__clock, ns */
    uint32_t instruction; /* its index */
};

/* A ring: record i is at i % room; the last `room` of `count` are kept. */
struct summand__recording {
    struct summand__record *record;
    size_t room, count;
};

/* False when out of memory. */
bool summand__recording_init(struct summand__recording *recording, size_t room);
void summand__recording_free(struct summand__recording *recording);

/* Adds a record. Consecutive failed polls of one instruction are merged. */
void summand__recording_add(struct summand__recording *recording, size_t instruction,
                            uint64_t begin, uint64_t end);

enum { SUMMAND__NO_GROUP = 255 };

struct summand__execution;

/* A record as a step: its action, peer and amount. */
struct summand__recorded {
    double begin, end; /* s of summand__clock */
    int32_t action;    /* of enum summand__action; SUMMAND__ROUND: waits for messages */
    int32_t peer;      /* of a message, put or notification */
    uint32_t counter;  /* of a notification: the peer's; of a wait: this rank's */
    uint32_t group;    /* of a message and of the wait for it; SUMMAND__NO_GROUP: of puts */
    int64_t value;     /* of a wait: within this start */
    uint64_t bytes;    /* of a message or put */
    double flops;      /* of a computation */
};

/* Record i, from max(0, count - room) on, of an execution that has not been freed. */
struct summand__recorded summand__recording_read(const struct summand__execution *execution,
                                                 const struct summand__recording *recording,
                                                 size_t i);
