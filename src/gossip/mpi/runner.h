/* Drives one state machine per rank over MPI. */
#ifndef SUMMAND_GOSSIP_MPI_RUNNER_H
#define SUMMAND_GOSSIP_MPI_RUNNER_H

#include "comm/state.h"
#include "gossip/fault.h"
#include "gossip/machine.h"
#include "gossip/topology.h"

#include <summand/gossip.h>

enum {
    SUMMAND__CHANNEL_HEAD = 2,
    SUMMAND__CHANNEL_WORDS = SUMMAND__CHANNEL_HEAD + SUMMAND__GOSSIP_WIDTH
};

/* A message on the wire: the sender's count of rounds done and, if it asks, its view; then the
 * mass. */
struct summand__parcel {
    MPI_Request request;
    struct summand__parcel *next;
    int64_t words[SUMMAND__CHANNEL_WORDS];
};

/* Somebody who asks for this rank's copy of their flow. It must be as after the receives of the
 * rounds before `round` and the pushes of the rounds before `view`. */
struct summand__question {
    int from;
    int64_t round, view;
};

/* A flow as it was before a push: a rank that is ahead of the one that asks answers with it, so
 * that the one that asks goes on exactly as it would have without the fault. */
enum { SUMMAND__JOURNAL = 16 };
struct summand__journal {
    int64_t round, to; /* to below 0: none */
    union summand__word flow[SUMMAND__GOSSIP_WIDTH];
};

struct summand__runner {
    struct summand__state *state;
    const summand_gossip_options *options;
    struct summand__gossip_node *node;
    struct summand__gossip_outbox outbox;
    const struct summand__topology *topology; /* asynchronous algorithms */
    struct summand__random choice, faults;
    const int *exponent; /* of the scale of each value; factor: from a mean to the result */
    double factor;
    int values;  /* of the result */
    int tags[3]; /* per kind of message */
    int barrier_tag;
    int round;          /* rounds finished */
    int view;           /* pushes of earlier rounds are wanted in an answer */
    int width, waiting; /* waiting: answers that have been asked for */
    struct summand__parcel *under_way;
    struct summand__question *questions;
    int question_count, question_room;
    struct summand__journal journal[SUMMAND__JOURNAL]; /* by round */
    MPI_Request ear; /* the receive that is posted all the time, while `listens` */
    int64_t heard[SUMMAND__CHANNEL_WORDS];
    MPI_Request token; /* of the barrier; null: has come, or is not waited for */
    bool listens, sweeping;
    bool spoil; /* the next message */
    summand_gossip_fault spoil_how;
    uint64_t messages, bytes;
    int idle; /* times in a row that nothing had come */
    int code; /* first MPI error */
};

/* `rounds` more rounds or, asynchronously, ticks; ends with all messages received and the own state
 * checked. Collective. */
void summand__run_rounds(struct summand__runner *runner, int rounds);
void summand__run_ticks(struct summand__runner *runner, int ticks);

/* Parts of both. */
void summand__runner_free(struct summand__runner *runner);
/* To be called in every loop that waits; busy: something has been done this time. */
void summand__runner_idle(struct summand__runner *runner, bool busy);
/* Returns when all ranks have come here; calls serve meanwhile, which says whether anything was
 * done. */
void summand__runner_barrier(struct summand__runner *runner,
                             bool (*serve)(struct summand__runner *));
/* Sends what the machine has posted. */
void summand__runner_flush(struct summand__runner *runner, bool synchronous);
/* Flips what options and environment want flipped before this round. */
void summand__runner_strike(struct summand__runner *runner);
/* Receives and answers whatever has come of questions and answers; returns whether anything had. */
bool summand__runner_serve(struct summand__runner *runner);
/* Whether all sends are done; frees those that are. */
bool summand__runner_sent(struct summand__runner *runner);
/* Takes a message of `kind` if one has come; from: rank or MPI_ANY_SOURCE. */
bool summand__runner_take(struct summand__runner *runner, int from, enum summand__gossip_kind kind,
                          struct summand__question *sender,
                          struct summand__gossip_message *message);
void summand__runner_watch(struct summand__runner *runner);

/* Of asynchronous algorithms. */
void summand__runner_listen(struct summand__runner *runner);
/* Takes in one message, or notes the end of one send or the barrier's token; returns whether there
 * was any. A simulated rank sleeps until there is, if there is anything that will surely come. */
bool summand__runner_hear(struct summand__runner *runner);
/* Takes in all messages whose senders know that they have been received. */
void summand__runner_sweep(struct summand__runner *runner);
void summand__runner_deaf(struct summand__runner *runner);

#endif
