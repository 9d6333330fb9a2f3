/* SPDX-License-Identifier: BSD-3-Clause */
/* A recording of a run: when each step of an execution began and ended on this rank. For studies:
 * an execution records where its caller has set `recording` (exec/onesided.h), and costs nothing
 * elsewhere. Nothing is allocated while it runs; of a long run the last steps are kept. */
#ifndef SUMMAND_EXEC_RECORD_H
#define SUMMAND_EXEC_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct summand__record {
    uint64_t begin, end;  /* summand__clock, ns */
    uint32_t instruction; /* number of it */
};

/* A ring: record number i lies at i % room; the last `room` of `count` are there. */
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

/* A record as a step: what it did, with whom, and how much of it. */
struct summand__recorded {
    double begin, end; /* s of summand__clock */
    int32_t action;    /* of enum summand__action; SUMMAND__ROUND: waits for messages */
    int32_t peer;      /* of a message, put or notification */
    uint32_t counter;  /* of a notification, of the peer's; of a wait */
    uint32_t group;    /* of a message and of the wait for it; SUMMAND__NO_GROUP: of puts */
    int64_t value;     /* of a wait: within this start */
    uint64_t bytes;    /* of a message or put */
    double flops;      /* of a computation */
};

/* Record number i, `count - room` or 0 at least, of an execution that has not been freed. */
struct summand__recorded summand__recording_read(const struct summand__execution *execution,
                                                 const struct summand__recording *recording,
                                                 size_t i);

#endif
