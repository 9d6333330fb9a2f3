/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a schedule. Blocking, non-blocking and persistent calls share this executor: start, then
 * test or wait, any number of times. After init only transports that pack elements or buffer
 * unexpected messages allocate memory. */
#pragma once

#include "exec/lower.h"
#include "exec/onesided.h"
#include "schedule/operator.h"
#include "schedule/schedule.h"
#include "transport/transport.h"

/* Further state if the schedule computes or has counters. */
struct summand__execution_tables {
    struct summand__schedule schedule; /* the schedule of the instructions */
    struct summand__onesided *onesided;
    bool passive; /* no messages; windows in shared memory, which need no progress */
    unsigned char *place[SUMMAND__MOST_PLACES]; /* addresses of element 0 */
    size_t unit[SUMMAND__MOST_PLACES];          /* bytes of an element */
};

struct summand__execution {
    struct summand__instructions instructions; /* of the schedule after the passes */
    const struct summand__operator *operator;
    struct summand__link *link;
    unsigned char *place[SUMMAND__PLACES];    /* addresses of element 0 */
    size_t next;                              /* the instruction that waits, or runs next */
    bool active;                              /* started and not done */
    unsigned groups;                          /* rounds whose messages may be in flight together */
    unsigned char *wire;                      /* slots for packed messages, used in turn */
    struct summand__execution_tables *tables; /* or NULL */
    size_t turns;                             /* of unfinished computations */
};

/* `sendbuf` and `recvbuf` may be NULL if the schedule does not touch them; `scratch` has room
 * for schedule->scratch elements. Takes the schedule, which is empty afterwards. False when out of
 * memory. */
bool summand__execution_init(struct summand__execution *execution,
                             struct summand__schedule *schedule,
                             const struct summand__operator *operator, struct summand__link * link,
                             const void *sendbuf, void *recvbuf, void *scratch);
void summand__execution_free(struct summand__execution *execution);

/* Sets other buffers; the execution must not be active. */
void summand__execution_bind(struct summand__execution *execution, const void *sendbuf,
                             void *recvbuf);

/* Sets the state for a schedule that computes or has counters; the caller keeps it. */
void summand__execution_attach(struct summand__execution *execution,
                               struct summand__onesided *onesided);

/* `alone`: the rank has nothing else to do until the execution is over. Then computations do not
 * pause for others, unless the execution's own messages or puts need that. */
void summand__execution_alone(struct summand__execution *execution, bool alone);

/* True if other ranks put into windows of this rank, or wait for its puts. A rank that waits for
 * such a schedule serves its windows meanwhile. */
static inline bool summand__execution_serves(const struct summand__execution *execution)
{
    const struct summand__execution_tables *tables = execution->tables;
    return tables && tables->onesided && tables->onesided->window;
}

/* A number that changes if something has run. */
static inline size_t summand__execution_position(const struct summand__execution *execution)
{
    return execution->next + execution->turns;
}

/* Return 0 or the transport's error code; after an error the execution is over. */
int summand__execution_start(struct summand__execution *execution);
int summand__execution_test(struct summand__execution *execution, bool *done);
int summand__execution_wait(struct summand__execution *execution);
int summand__execution_run(struct summand__execution *execution); /* start, then wait */
