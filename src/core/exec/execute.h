/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a schedule. Blocking, non-blocking and persistent calls are the same executor: start, then
 * test or wait, any number of times. Nothing is allocated or looked up after init,
 * but by transports that pack elements or buffer unexpected messages. */
#ifndef SUMMAND_EXEC_EXECUTE_H
#define SUMMAND_EXEC_EXECUTE_H

#include "exec/lower.h"
#include "exec/onesided.h"
#include "schedule/operator.h"
#include "schedule/schedule.h"
#include "transport/transport.h"

/* What an execution has besides where its schedule computes or has counters. */
struct summand__execution_tables {
    struct summand__schedule schedule; /* whose steps its instructions are */
    struct summand__onesided *onesided;
    bool passive; /* no messages; windows in shared memory, which need nobody */
    unsigned char *place[SUMMAND__MOST_PLACES]; /* addresses of element 0 */
    size_t unit[SUMMAND__MOST_PLACES];          /* bytes of an element */
};

struct summand__execution {
    struct summand__instructions instructions; /* of the schedule after the passes */
    const struct summand__operator *operator;
    struct summand__link *link;
    unsigned char *place[SUMMAND__PLACES];    /* addresses of element 0 */
    size_t next;                              /* instruction that is waited in, or runs next */
    bool active;                              /* started and not done */
    unsigned groups;                          /* rounds whose messages may be under way together */
    unsigned char *wire;                      /* packed messages, one slot each, in turn */
    struct summand__execution_tables *tables; /* or NULL */
    size_t turns;                             /* of computations that are not done */
};

/* `sendbuf` and `recvbuf` may be NULL if the schedule does not touch them; `scratch` has room
 * for schedule->scratch elements. Takes the schedule, which is empty afterwards. False when out of
 * memory. */
bool summand__execution_init(struct summand__execution *execution,
                             struct summand__schedule *schedule,
                             const struct summand__operator *operator, struct summand__link * link,
                             const void *sendbuf, void *recvbuf, void *scratch);
void summand__execution_free(struct summand__execution *execution);

/* Other buffers, for one that is not started. */
void summand__execution_bind(struct summand__execution *execution, const void *sendbuf,
                             void *recvbuf);

/* For a schedule that computes or has counters: what that needs, which the caller keeps. */
void summand__execution_attach(struct summand__execution *execution,
                               struct summand__onesided *onesided);

/* Whether the rank has nothing else to do until the execution is over: then computations are not
 * cut for others' turns, unless its own messages or puts need them. */
void summand__execution_alone(struct summand__execution *execution, bool alone);

/* Whether other ranks put into windows of this rank, or wait for its puts. A rank that waits for
 * such a schedule serves its windows meanwhile. */
static inline bool summand__execution_serves(const struct summand__execution *execution)
{
    const struct summand__execution_tables *tables = execution->tables;
    return tables && tables->onesided && tables->onesided->window;
}

/* Differs from what it was if something has run since. */
static inline size_t summand__execution_position(const struct summand__execution *execution)
{
    return execution->next + execution->turns;
}

/* These return 0 or the transport's error code; after an error the execution is over. */
int summand__execution_start(struct summand__execution *execution);
int summand__execution_test(struct summand__execution *execution, bool *done);
int summand__execution_wait(struct summand__execution *execution);
int summand__execution_run(struct summand__execution *execution); /* start, then wait */

#endif
