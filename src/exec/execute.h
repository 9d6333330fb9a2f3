/* Runs a schedule. Blocking, non-blocking and persistent calls are the same executor: start, then
 * test or wait, any number of times. Nothing is allocated after init,
 * but by transports that pack elements or buffer unexpected messages. */
#ifndef SUMMAND_EXEC_EXECUTE_H
#define SUMMAND_EXEC_EXECUTE_H

#include "exec/onesided.h"
#include "schedule/operator.h"
#include "schedule/schedule.h"
#include "transport/transport.h"

/* A packed message on its way to its region. */
struct summand__arrived {
    const struct summand__step *step; /* its receive, or NULL */
    unsigned round;                   /* that waits for it, modulo the groups */
};

struct summand__execution {
    struct summand__schedule schedule; /* after the passes */
    const struct summand__operator *operator;
    struct summand__link *link;
    unsigned char *place[SUMMAND__MOST_PLACES]; /* addresses of element 0 */
    size_t unit[SUMMAND__MOST_PLACES];          /* bytes of an element, where bound */
    struct summand__onesided *onesided; /* of a schedule that computes or has counters; or NULL */
    size_t next;     /* step after the current round; where stalled, the one to be run again */
    bool stalled;    /* a step of the round waits in vain, or has more to do */
    unsigned moves;  /* grows when a round begins or goes on */
    bool active;     /* started and not done */
    bool multicasts; /* a multicast is one message */
    unsigned groups; /* rounds whose messages may be under way together */
    unsigned round;  /* the current one, modulo that */
    size_t open[SUMMAND__GROUPS];      /* messages posted, by the round that waits for them */
    unsigned char *wire;               /* packed messages, one slot each, in turn */
    size_t slot;                       /* bytes of one */
    size_t width;                      /* slots: messages under way together */
    size_t messages;                   /* posted so far */
    struct summand__arrived *arriving; /* by slot: what is to be unpacked */
};

/* `sendbuf` and `recvbuf` may be NULL where the schedule does not touch them; `scratch` has room
 * for schedule->scratch elements. False when out of memory. */
bool summand__execution_init(struct summand__execution *execution,
                             const struct summand__schedule *schedule,
                             const struct summand__operator *operator, struct summand__link * link,
                             const void *sendbuf, void *recvbuf, void *scratch);
/* For a schedule that computes or has counters: what that needs, which the caller keeps. */
void summand__execution_bind(struct summand__execution *execution,
                             struct summand__onesided *onesided);
void summand__execution_free(struct summand__execution *execution);

/* These return 0 or the transport's error code; after an error the execution is over. */
int summand__execution_start(struct summand__execution *execution);
int summand__execution_test(struct summand__execution *execution, bool *done);
int summand__execution_wait(struct summand__execution *execution);

#endif
