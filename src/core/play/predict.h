/* SPDX-License-Identifier: BSD-3-Clause */
/* Plays the schedules of all ranks against a machine: when each rank ends, and why then.
 *
 * A discrete-event play of what the executor does. A rank posts the messages of a round in their
 * order, runs the round's local steps, and waits for its messages. Each message costs its receiver
 * processor time on arrival. Puts and notifications cost only their senders, and arrive in the
 * order in which they are sent. A computation takes the time of its operations or of its memory
 * traffic, whichever is longer. The steps carry no data here, so a rank costs 8 bytes per step. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"
#include "schedule/schedule.h"

#define SUMMAND__NO_SPAN UINT32_MAX

/* Causes of time. A message is a send on its sender, a wire, and a recv on its receiver. */
enum summand__span_kind {
    SUMMAND__SPAN_SEND,
    SUMMAND__SPAN_WIRE, /* from the first byte on the card to the last byte received */
    SUMMAND__SPAN_RECV,
    SUMMAND__SPAN_REDUCE,
    SUMMAND__SPAN_COPY,
    SUMMAND__SPAN_PUT,
    SUMMAND__SPAN_NOTIFY,
    SUMMAND__SPAN_COMPUTE,
    SUMMAND__SPAN_KINDS
};

struct summand__span {
    enum summand__span_kind kind;
    int rank, peer; /* peer: -1 for a local step; a wire goes from rank to peer */
    double begin, end;
    size_t bytes;
    uint32_t cause; /* the span whose end let this one begin, or SUMMAND__NO_SPAN; if a wire causes
                       a wire, the earlier one kept a card busy */
    uint32_t send;  /* a wire's send, else SUMMAND__NO_SPAN */
    bool critical;  /* on the critical path */
};

struct summand__predict {
    int ranks;
    size_t element; /* bytes of one */
    const struct summand__model *model;
    const int *node; /* of each rank; NULL: ranks lie on nodes in order, by the model */
    /* Builds one rank's schedule, which the play frees; false when out of memory. */
    bool (*build)(const void *context, int rank, struct summand__schedule *schedule);
    const void *context;
    size_t most_bytes; /* of stored steps and spans; 0: no bound */
    bool trace;        /* keep spans */
    bool combines; /* for a call: messages within a node are combined on arrival; else the schedule
                      runs as it is built */
    double enough; /* s: a play that takes longer ends as `slow`; 0: no bound */
    bool (*stop)(const void *context); /* polled: true ends the play; may be NULL */
    const void *stop_context;

    double *finish; /* [out] s, one per rank; may be NULL */
    double time;    /* [out] s until the last rank ends */
    int last;       /* [out] that rank */
    size_t messages[SUMMAND__REACHES], bytes[SUMMAND__REACHES]; /* [out] */
    struct summand__span *spans; /* [out] if traced; summand__predict_free frees them */
    size_t span_count;
    bool slow;          /* [out] it would take longer than `enough` */
    uint32_t last_span; /* [out] the end of the critical path; follow `cause` back */
    char fault[256];    /* [out] what is wrong, or "" */
};

/* True if the schedules run to their end. Cost: O(1) per message, and share.h. */
bool summand__predict(struct summand__predict *predict);
/* From one rank to another. */
static inline enum summand__reach summand__predict_reach(const struct summand__predict *predict,
                                                         int a, int b)
{
    int per_node = (int)predict->model->per_node, per_switch = (int)predict->model->per_switch;
    a = predict->node ? predict->node[a] : a / per_node;
    b = predict->node ? predict->node[b] : b / per_node;
    return a == b                                            ? SUMMAND__WITHIN_NODE
           : !per_switch || a / per_switch == b / per_switch ? SUMMAND__NETWORK
                                                             : SUMMAND__FAR;
}
void summand__predict_free(struct summand__predict *predict);

const char *summand__span_name(enum summand__span_kind kind);
