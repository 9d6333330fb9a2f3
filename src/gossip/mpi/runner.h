/* SPDX-License-Identifier: BSD-3-Clause */
/* Drives one state machine per rank over MPI.
 *
 * A call is a sequence of steps. Between two steps, and while a rank waits, all its data are
 * guarded: scalars, indices and pointers by a second copy (guard.h), flows by their seals and their
 * partners' copies, messages and exchanges by seals and by being sent twice or again.
 *
 * Ranks wait in one place only, summand__runner_idle (wait.c). A rank that cannot continue, without
 * memory or without an answer within the limit, tells all others (farewell.c). */
#pragma once

#include "comm/state.h"
#include "gossip/fault.h"
#include "gossip/machine.h"
#include "gossip/mpi/guard.h"
#include "gossip/operands.h"
#include "gossip/topology.h"

#include <summand/gossip.h>
#include <summand/gossip_faults.h>

enum {
    SUMMAND__CHANNEL_HEAD = 2,
    SUMMAND__CHANNEL_WORDS = SUMMAND__CHANNEL_HEAD + SUMMAND__GOSSIP_WIDTH + 1,
    SUMMAND__ASK_WORDS = SUMMAND__CHANNEL_HEAD + 1, /* sent twice in one message */
    SUMMAND__EXCHANGE_MOST = 160,
    SUMMAND__EXCHANGE_WORDS = SUMMAND__EXCHANGE_MOST + 3,
    SUMMAND__SENDS = 32,  /* in flight at a time */
    SUMMAND__JOURNAL = 16 /* pushes in the journal */
};

/* Kinds of messages; the state machines' kinds come first. */
enum { SUMMAND__EXCHANGE = SUMMAND__GIVE + 1, SUMMAND__FAREWELL, SUMMAND__ABORT, SUMMAND__TAGS };

/* A rank's request for this rank's copy of its flow. The copy must be as after the receives of the
 * rounds before `round` and the pushes of the rounds before `view`. */
struct summand__query {
    int64_t from, round, view;
};

/* A flow as it was before a push. A rank ahead of the requesting one answers with it, so that the
 * requesting rank continues exactly as without the fault. */
struct summand__journal {
    int64_t round, to; /* to below 0: none */
    union summand__word flow[SUMMAND__GOSSIP_WIDTH];
    uint64_t seal;
};

/* Memory of a call, in one block. Later allocations are only for flows of more rounds than
 * expected. Each part has its own seals. */
struct summand__store {
    int64_t sends[SUMMAND__SENDS][SUMMAND__CHANNEL_WORDS];
    int64_t received[2 * SUMMAND__EXCHANGE_WORDS]; /* the posted receive of a message */
    int64_t token[2 * SUMMAND__EXCHANGE_WORDS];    /* the same of an exchange */
    int64_t exchange[2][SUMMAND__EXCHANGE_WORDS]; /* the words that this rank has gathered, twice */
    int64_t out[2 * SUMMAND__EXCHANGE_WORDS];     /* the same in flight */
    struct summand__journal journal[SUMMAND__JOURNAL]; /* by round */
    struct summand__query questions[];                 /* at most one per rank */
};

struct summand__runner {
    struct summand__guarded home[2]; /* guarded data other than the node and lists: fixed places */
    struct summand__guarded results; /* the results, which have three copies of their own */
    struct summand__state *state;
    const summand_gossip_options *options;
    const struct summand__operands *operands;
    struct summand__guard *layout; /* the guard of `operands` */
    struct summand__gossip_node *node;
    struct summand__gossip_outbox outbox;
    const struct summand__topology *topology; /* asynchronous algorithms */
    struct summand__random choice, faults;
    struct summand__store *store;
    MPI_Request receive; /* always posted, while `listens` */
    MPI_Request token;   /* of the exchange; null: has arrived, or is not expected */
    MPI_Request exchange_send;
    int tags[SUMMAND__TAGS];
    int epoch;          /* number of the call */
    int round;          /* rounds finished */
    int view;           /* an answer must include the pushes of rounds before it */
    int width, waiting; /* waiting: requested answers */
    int question_count, bad_answers;
    int exchanges; /* begun */
    int64_t step;  /* steps done, and messages received: the times of faults */
    int64_t receipts;
    bool listens, sweeping;
    bool inject; /* the next message, as `injected` and the options say */
    bool hooked;
    bool told;    /* of the failure of another rank */
    bool leaving; /* after a failure */
    bool late;    /* the limit has passed once: a last poll */
    summand_gossip_fault injected;
    uint64_t messages, bytes, mended;
    int idle;                          /* consecutive polls without progress */
    double since;                      /* time of the first of these polls; 0: not read yet */
    double limit;                      /* seconds to wait; 0: for ever */
    int code;                          /* first error */
    int sending;                       /* used places of `sends`; no other is read */
    MPI_Request sends[SUMMAND__SENDS]; /* null: free. Guarded as far as used */
    struct summand__guard guard;       /* last, because it does not guard itself */
};

/* runner.c: takes tags and memory; false when out of memory, but tags are taken. All ranks must
 * make the same calls in one order. home: start of the guarded data, which end at the runner's
 * guard. */
bool summand__runner_open(struct summand__runner *runner, struct summand__state *state,
                          const struct summand__guarded *constant, void *home);
void summand__runner_close(struct summand__runner *runner);

/* `rounds` more rounds or, asynchronously, ticks; ends with all messages received and the own state
 * checked. Collective. */
void summand__run_rounds(struct summand__runner *runner, int rounds);
void summand__run_ticks(struct summand__runner *runner, int ticks);

/* wait.c: moves from one step to the next. */
void summand__runner_pass(struct summand__runner *runner);
/* Every waiting loop must call this. busy: the loop made progress this time. Sets `code` if the
 * limit has passed or another rank has failed; every such loop ends on a code. */
void summand__runner_idle(struct summand__runner *runner, bool busy);
/* True if the loop should poll for other messages than the awaited one: not in each of the short
 * first turns of a wait. */
bool summand__runner_looks(const struct summand__runner *runner);
void summand__runner_fail(struct summand__runner *runner, int code);
/* False, and a failure, if a check has found both copies of the own mass damaged. */
bool summand__runner_has_own(struct summand__runner *runner);
/* Opens a guard; false, and a failure, if data are lost. */
bool summand__runner_open_guard(struct summand__runner *runner, struct summand__guard *guard);

/* farewell.c: after a failure. All ranks learn of it, and receive the messages in flight that
 * arrive within the limit. */
void summand__runner_farewell(struct summand__runner *runner);

/* exchange.c: over all ranks the sum of the first `sums` words, and the largest of each of the
 * others. Returns once all ranks have arrived; calls serve meanwhile, which returns true if it made
 * progress. All ranks get the same, or a code. Collective. */
bool summand__runner_exchange(struct summand__runner *runner, int64_t *words, int count, int sums,
                              bool (*serve)(struct summand__runner *));
bool summand__runner_serves_none(struct summand__runner *runner);
/* The serve of the algorithm's style. */
bool summand__runner_serve_all(struct summand__runner *runner);

/* upset.c: flips the bits that options and environment name. */
void summand__runner_inject_fault(struct summand__runner *runner);
void summand__runner_corrupt(struct summand__runner *runner,
                             struct summand__gossip_message *message);
void summand__runner_upset_kept(struct summand__runner *runner);
void summand__runner_upset_received(struct summand__runner *runner, int64_t *words, int count);
/* All of the rank's data while the guard is closed; returns the number of parts. */
enum { SUMMAND__KEPT_PARTS = 16 };
int summand__runner_kept(const struct summand__runner *runner, struct summand__guarded *part);

/* answer.c: receives all arrived requests and answers, and handles them; true if there were any. */
bool summand__runner_serve(struct summand__runner *runner);
/* Records the flow to `to` (below 0: none) as it is before this round's push. */
void summand__runner_remember(struct summand__runner *runner, int64_t to);

/* channel.c: sends the messages that the machine has posted. */
void summand__runner_flush(struct summand__runner *runner, bool synchronous);
/* True if all sends are complete. */
bool summand__runner_sent(struct summand__runner *runner);
/* Receives a message of `kind` if one has arrived; from: rank or MPI_ANY_SOURCE. */
bool summand__runner_take(struct summand__runner *runner, int from, enum summand__gossip_kind kind,
                          struct summand__query *sender, struct summand__gossip_message *message);
/* Reads a message of this call out of `count` received words; false: of another call. */
bool summand__runner_read(struct summand__runner *runner, int from, enum summand__gossip_kind kind,
                          int64_t *words, int count, struct summand__query *sender,
                          struct summand__gossip_message *message);
void summand__runner_watch(struct summand__runner *runner);

/* listen.c, of asynchronous algorithms. */
void summand__runner_listen(struct summand__runner *runner);
/* Receives one message, or notes the end of one send or the exchange's token; true if there was
 * any. A simulated rank sleeps until there is one, if one is certain to arrive. */
bool summand__runner_receive(struct summand__runner *runner);
/* Receives all messages whose senders know that they have been matched. */
void summand__runner_sweep(struct summand__runner *runner);
void summand__runner_stop_receiving(struct summand__runner *runner);
