/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of the prediction's player. */
#pragma once

#include "play/compact.h"
#include "play/event_queue.h"
#include "play/mailbox.h"
#include "play/predict.h"
#include "play/share.h"
#include "schedule/compute.h"

/* Events of a message: it requests its sender's card; its head reaches the receiver's card; its
 * last byte has arrived. DRAINED, of a lane: the same for its first message. */
enum summand__event_kind { INJECT, HEAD, ARRIVED, DRAINED };

struct summand__card {
    double out, in;             /* when they are free again */
    uint32_t out_span, in_span; /* the wires that keep them busy */
};

/* A computation; between its parts the rank polls for puts. */
struct summand__busy {
    double begin, end, part;
};

struct summand__actor {
    struct summand__compact plan;
    uint32_t next;                  /* step after the current round */
    uint32_t round;                 /* the current one's number, modulo SUMMAND__GROUPS */
    uint32_t empty;                 /* rounds without steps before the next step */
    uint32_t open[SUMMAND__GROUPS]; /* incomplete messages, by the round that waits for them */
    int node, under;                /* its node, and the switch of that */
    uint32_t card;                  /* its node's, or its own */
    double clock;                   /* when its processor is free */
    uint32_t span;                  /* its last span */
    uint32_t at;                    /* its current local step */
    uint32_t early; /* messages that had arrived before their receives were posted */
    bool stalled;   /* there, because a counter has not reached its value */
    struct summand__schedule schedule; /* if it computes or has counters */
    uint64_t *counts;                  /* of its counters */
    struct summand__busy *busy; /* if puts wait for a poll: all its computations so far, in order */
    size_t busies, busy_room;
};

struct summand__stage {
    struct summand__predict *predict;
    struct summand__actor *actors;
    struct summand__card *cards; /* one per rank for its node, then those of the network */
    struct summand__share share; /* of the cards of the network, if they are shared evenly */
    struct summand__event_queue queue;
    struct summand__mailbox mailbox;
    size_t kept; /* bytes of steps and spans */
    size_t span_capacity;
    int done;
    bool failed;
};

/* play/stage.c */

void summand__stage_fault(struct summand__stage *stage, const char *format, ...);
void summand__stage_push(struct summand__stage *stage, double time, enum summand__event_kind kind,
                         uint32_t message);
/* Accounts for so many more bytes of steps or spans. False, with a fault, if the play would keep
 * more than allowed. */
bool summand__stage_charge(struct summand__stage *stage, size_t bytes);
/* The number of a new span; SUMMAND__NO_SPAN if memory is missing. */
uint32_t summand__stage_trace(struct summand__stage *stage, struct summand__span span);
/* Traces what the rank's processor has done since `begin`. */
void summand__stage_worked(struct summand__stage *stage, int rank, enum summand__span_kind kind,
                           int peer, double begin, size_t bytes);
/* The rank's processor works for `seconds` once it is free. */
static inline void summand__stage_work(struct summand__stage *stage, int rank,
                                       enum summand__span_kind kind, int peer, double seconds,
                                       size_t bytes)
{
    double begin = stage->actors[rank].clock;
    stage->actors[rank].clock += seconds;
    if (stage->predict->trace)
        summand__stage_worked(stage, rank, kind, peer, begin, bytes);
}

/* play/wire.c */

/* A message asks for its sender's card at `time`; the events INJECT and HEAD. */
void summand__wire_request(struct summand__stage *stage, uint32_t message, double time);
void summand__wire_requested(struct summand__stage *stage, uint32_t message, double now);
void summand__wire_head(struct summand__stage *stage, uint32_t message, double now);
/* Number of links up to simulate; 0 if they are as fast as all cards below them. */
uint32_t summand__wire_links(const struct summand__stage *stage);

/* play/onesided.c */

/* Keeps the schedule of a rank that computes or has counters; else frees it. */
void summand__stage_keep(struct summand__stage *stage, int rank,
                         struct summand__schedule *schedule);
void summand__stage_forget(struct summand__actor *actor);
/* A computation, put, notification or wait for a counter, which may leave the rank stalled. */
void summand__stage_onesided(struct summand__stage *stage, int rank, size_t step);
/* When a rank polls for puts, from `now` on: at once, unless it computes. */
double summand__stage_look(const struct summand__actor *actor, double now);
/* A put or notification has arrived at its target; true if its rank goes on. */
bool summand__stage_landed(struct summand__stage *stage, const struct summand__message *message,
                           double now);

static inline enum summand__reach summand__stage_reach(const struct summand__stage *stage, int a,
                                                       int b)
{
    const struct summand__actor *one = &stage->actors[a], *other = &stage->actors[b];
    return one->node == other->node     ? SUMMAND__WITHIN_NODE
           : one->under == other->under ? SUMMAND__NETWORK
                                        : SUMMAND__FAR;
}

static inline size_t summand__stage_bytes(const struct summand__stage *stage,
                                          const struct summand__message *message)
{
    return message->elements * (message->put ? 1 : stage->predict->element);
}
