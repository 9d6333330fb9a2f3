/* SPDX-License-Identifier: BSD-3-Clause */
/* Drives one state machine per rank over MPI.
 *
 * A call is a sequence of steps. Between two of them, and while a rank waits, all that it keeps is
 * guarded: scalars, indices and pointers by a second copy (guard.h), flows by their seals and their
 * partners' copies, messages and exchanges by seals and by being sent twice or again.
 *
 * Ranks wait in one place alone, summand__runner_idle (wait.c). A rank that cannot go on, for want
 * of memory or of an answer within the limit, tells all others (farewell.c). */
#ifndef SUMMAND_GOSSIP_MPI_RUNNER_H
#define SUMMAND_GOSSIP_MPI_RUNNER_H

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
    SUMMAND__SENDS = 32,  /* under way at a time */
    SUMMAND__JOURNAL = 16 /* pushes that are remembered */
};

/* What a message is; the state machines' kinds come first. */
enum { SUMMAND__EXCHANGE = SUMMAND__GIVE + 1, SUMMAND__FAREWELL, SUMMAND__ABORT, SUMMAND__TAGS };

/* A rank that asks for this rank's copy of its flow. It must be as after the receives of the
 * rounds before `round` and the pushes of the rounds before `view`. */
struct summand__query {
    int64_t from, round, view;
};

/* A flow as it was before a push: a rank that is ahead of the one that asks answers with it, so
 * that the one that asks goes on exactly as it would have without the fault. */
struct summand__journal {
    int64_t round, to; /* to below 0: none */
    union summand__word flow[SUMMAND__GOSSIP_WIDTH];
    uint64_t seal;
};

/* Memory of a call, in one block: nothing is allocated later but for flows of more rounds than are
 * expected. Each part has seals of its own. */
struct summand__store {
    int64_t sends[SUMMAND__SENDS][SUMMAND__CHANNEL_WORDS];
    int64_t received[2 * SUMMAND__EXCHANGE_WORDS];     /* the posted receive of a message */
    int64_t token[2 * SUMMAND__EXCHANGE_WORDS];        /* the same of an exchange */
    int64_t exchange[2][SUMMAND__EXCHANGE_WORDS];      /* what this rank has gathered, twice */
    int64_t out[2 * SUMMAND__EXCHANGE_WORDS];          /* the same on its way */
    struct summand__journal journal[SUMMAND__JOURNAL]; /* by round */
    struct summand__query questions[];                 /* at most one per rank */
};

struct summand__runner {
    struct summand__guarded home[2]; /* what is guarded beside the node and lists: fixed places */
    struct summand__guarded results; /* which look after themselves */
    struct summand__state *state;
    const summand_gossip_options *options;
    const struct summand__operands *operands;
    struct summand__guard *layout; /* what guards `operands` */
    struct summand__gossip_node *node;
    struct summand__gossip_outbox outbox;
    const struct summand__topology *topology; /* asynchronous algorithms */
    struct summand__random choice, faults;
    struct summand__store *store;
    MPI_Request receive; /* posted all the time, while `listens` */
    MPI_Request token;   /* of the exchange; null: has come, or is not waited for */
    MPI_Request exchange_send;
    int tags[SUMMAND__TAGS];
    int epoch;          /* number of the call */
    int round;          /* rounds finished */
    int view;           /* pushes of earlier rounds are wanted in an answer */
    int width, waiting; /* waiting: answers that have been asked for */
    int question_count, bad_answers;
    int exchanges; /* begun */
    int64_t step;  /* steps done, and messages received: where faults may strike */
    int64_t receipts;
    bool listens, sweeping;
    bool inject; /* the next message, as `injected` and the options say */
    bool hooked;
    bool told;    /* of the failure of another rank */
    bool leaving; /* after a failure */
    bool late;    /* the limit has passed once: a last look around */
    summand_gossip_fault injected;
    uint64_t messages, bytes, mended;
    int idle;                          /* times in a row that nothing had come */
    double since;                      /* when that was found to be so; 0: not yet looked */
    double limit;                      /* seconds to wait; 0: for ever */
    int code;                          /* first error */
    int sending;                       /* places of `sends` in use; no other is looked at */
    MPI_Request sends[SUMMAND__SENDS]; /* null: free. Guarded as far as they are in use */
    struct summand__guard guard;       /* last: it is not guarded by itself */
};

/* runner.c: tags and memory; false when out of memory, but tags are taken. To be called alike on
 * all ranks. home: what is guarded from there to the runner's guard. */
bool summand__runner_open(struct summand__runner *runner, struct summand__state *state,
                          const struct summand__guarded *constant, void *home);
void summand__runner_close(struct summand__runner *runner);

/* `rounds` more rounds or, asynchronously, ticks; ends with all messages received and the own state
 * checked. Collective. */
void summand__run_rounds(struct summand__runner *runner, int rounds);
void summand__run_ticks(struct summand__runner *runner, int ticks);

/* wait.c: from one step to the next. */
void summand__runner_pass(struct summand__runner *runner);
/* To be called in every loop that waits; busy: something has been done this time. Sets `code` when
 * the limit has passed or another rank has failed: every such loop ends on a code. */
void summand__runner_idle(struct summand__runner *runner, bool busy);
/* Whether to look for other messages than the one that is waited for: not in each of the short
 * turns with which a wait begins. */
bool summand__runner_looks(const struct summand__runner *runner);
void summand__runner_fail(struct summand__runner *runner, int code);
/* False, and a failure, where a check has found both copies of the own mass damaged. */
bool summand__runner_has_own(struct summand__runner *runner);
/* Opens a guard; false when something is lost, which is a failure. */
bool summand__runner_open_guard(struct summand__runner *runner, struct summand__guard *guard);

/* farewell.c: after a failure. All ranks learn of it and take in what is still under way, as far
 * as they come within the limit. */
void summand__runner_farewell(struct summand__runner *runner);

/* exchange.c: over all ranks the sum of the first `sums` words, and the largest of each of the
 * others. Returns when all ranks have come; calls serve meanwhile, which says whether anything was
 * done. All ranks get the same, or a code. Collective. */
bool summand__runner_exchange(struct summand__runner *runner, int64_t *words, int count, int sums,
                              bool (*serve)(struct summand__runner *));
bool summand__runner_serves_none(struct summand__runner *runner);
/* The serve of the algorithm's style. */
bool summand__runner_serve_all(struct summand__runner *runner);

/* upset.c: flips what options and environment want flipped. */
void summand__runner_inject_fault(struct summand__runner *runner);
void summand__runner_corrupt(struct summand__runner *runner,
                             struct summand__gossip_message *message);
void summand__runner_upset_kept(struct summand__runner *runner);
void summand__runner_upset_received(struct summand__runner *runner, int64_t *words, int count);
/* All that the rank keeps while the guard is closed; returns how many parts. */
enum { SUMMAND__KEPT_PARTS = 16 };
int summand__runner_kept(const struct summand__runner *runner, struct summand__guarded *part);

/* answer.c: receives and answers whatever has come of questions and answers; returns whether
 * anything had. */
bool summand__runner_serve(struct summand__runner *runner);
/* Keeps the flow to `to` (below 0: nobody) as it is before this round's push. */
void summand__runner_remember(struct summand__runner *runner, int64_t to);

/* channel.c: sends what the machine has posted. */
void summand__runner_flush(struct summand__runner *runner, bool synchronous);
/* Whether all sends are done. */
bool summand__runner_sent(struct summand__runner *runner);
/* Takes a message of `kind` if one has come; from: rank or MPI_ANY_SOURCE. */
bool summand__runner_take(struct summand__runner *runner, int from, enum summand__gossip_kind kind,
                          struct summand__query *sender, struct summand__gossip_message *message);
/* Reads a message of this call out of `count` words that have come; false: of another call. */
bool summand__runner_read(struct summand__runner *runner, int from, enum summand__gossip_kind kind,
                          int64_t *words, int count, struct summand__query *sender,
                          struct summand__gossip_message *message);
void summand__runner_watch(struct summand__runner *runner);

/* listen.c, of asynchronous algorithms. */
void summand__runner_listen(struct summand__runner *runner);
/* Takes in one message, or notes the end of one send or the exchange's token; returns whether there
 * was any. A simulated rank sleeps until there is, if there is anything that will surely come. */
bool summand__runner_receive(struct summand__runner *runner);
/* Takes in all messages whose senders know that they have been received. */
void summand__runner_sweep(struct summand__runner *runner);
void summand__runner_stop_receiving(struct summand__runner *runner);

#endif
