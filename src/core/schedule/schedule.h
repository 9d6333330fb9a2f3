/* SPDX-License-Identifier: BSD-3-Clause */
/* A schedule: what one rank does in a collective operation, as data.
 *
 * A schedule is a list of steps over regions of places: the caller's sendbuf (read only), the
 * caller's recvbuf, scratch, and perhaps more. Steps are grouped in rounds. The messages of a round
 * are in flight together, and its local steps run in their order meanwhile. A round ends when its
 * messages are complete. So within a round no message may share a region with another message or
 * with a local step, unless both only read it. The executor issues steps one by one in their order.
 *
 * The schedule that is built is not the one that runs: passes (passes/passes.h) transform it for a
 * transport.
 *
 * A receive may combine its elements (RECV_REDUCE). Such receives of a round combine at its end,
 * after its local steps, in their order. So one may use the result of an earlier one as its operand
 * or result. No other message may touch a result, with one exception: a send of all its elements to
 * a peer from which messages are combined as they arrive, because that send reads them before.
 *
 * A message may complete up to `lag` rounds after it is posted: it is late. Its region is in use
 * until then. Pipelines have such messages; otherwise they would wait for the latency of each
 * segment. A message is late at both ends, perhaps by different lags. A pass may post a late
 * receive as late as in its last round, so no step may rely on it before. A late send is posted in
 * its own round. However short it is, it may wait for its receiver; between nodes it does, which
 * limits how far its rank runs ahead (base/pace.h). No receive may end before an earlier one of the
 * same peer, and no schedule before its messages.
 *
 * A rank's messages of one region to all other ranks may be one multicast. These sends are adjacent
 * in one round, and their receivers are marked too. If ranks share memory, such a message is
 * written once, and completes when all others have read it.
 *
 * A schedule knows no addresses, no datatypes and no MPI. The executor, the verifier and the
 * counters all read the same list. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most rounds after its own in which a message may be in flight, and the number of groups of
 * messages that are waited for together. */
enum { SUMMAND__MOST_LAG = 4, SUMMAND__GROUPS = SUMMAND__MOST_LAG + 1 };

/* The places of collectives, whose elements are the operator's. A schedule may name more, up to
 * SUMMAND__MOST_PLACES in all, with elements of their own size. */
enum summand__place { SUMMAND__SENDBUF, SUMMAND__RECVBUF, SUMMAND__SCRATCH, SUMMAND__PLACES };
enum { SUMMAND__MOST_PLACES = 255 };

enum summand__place_kind {
    SUMMAND__INPUT, /* the caller's, only read */
    SUMMAND__RESULT,
    SUMMAND__UPDATED,   /* the caller's, read and written */
    SUMMAND__TEMPORARY, /* undefined before and after */
    SUMMAND__WINDOW,    /* other ranks put into it */
    SUMMAND__VIEW       /* another rank's place, which computations touch in place */
};

/* Describes a place after the three of collectives. */
struct summand__place_info {
    uint8_t kind; /* of enum summand__place_kind */
    size_t unit;  /* bytes of an element */
    size_t count; /* elements; of a view: those of the place that it shows */
    bool shared;  /* others may have views of it: an input, a result or an updated place */
    int32_t peer; /* of a view: rank of the place, */
    uint32_t of;  /* and its number there */
};

/* Elements [first, first + count) of a place. Packed, so that a step is as long as a cache line:
 * passes, executor and proofs read all steps many times. */
struct summand__region {
    enum summand__place place : 8;
    uint64_t first : 56;
    size_t count;
};

enum summand__action {
    SUMMAND__SEND,         /* from -> peer */
    SUMMAND__RECV,         /* peer -> to */
    SUMMAND__RECV_REDUCE,  /* peer -> from, then to = from op with; what `from` holds is undefined
                              afterwards, unless it is `to` */
    SUMMAND__REDUCE,       /* to = from op to: `from` is the left operand */
    SUMMAND__COPY,         /* to = from */
    SUMMAND__COMPUTE,      /* to = computation `what` of from and with */
    SUMMAND__PUT,          /* from -> `to` of the peer, a window there */
    SUMMAND__NOTIFY,       /* adds one to counter `what` of the peer, after all puts to it so far */
    SUMMAND__WAIT_COUNTER, /* waits until counter `what` of this rank is at least `value` */
    SUMMAND__ROUND,        /* the end of a round: waits for its completion group */
    SUMMAND__ACTIONS
};

enum summand__step_flag {
    SUMMAND__STEP_MULTICAST = 1,  /* of a message: to all other ranks at once */
    SUMMAND__STEP_LEFT = 2,       /* of RECV_REDUCE: the received elements are the left operand */
    SUMMAND__STEP_NONTEMPORAL = 4 /* this schedule does not read the written elements again */
};

struct summand__step {
    uint8_t action; /* of enum summand__action */
    uint8_t
        lag; /* of a message: rounds that may end before it completes, at most SUMMAND__MOST_LAG */
    uint8_t flags; /* of enum summand__step_flag */
    int32_t peer;
    uint32_t what; /* counter or computation */
    int32_t value; /* the count for which a wait waits */
    struct summand__region from, with, to;
};

static inline bool summand__is_multicast(const struct summand__step *step)
{
    return step->flags & SUMMAND__STEP_MULTICAST;
}

struct summand__tables;

struct summand__schedule {
    struct summand__step *steps;
    size_t length, capacity;
    size_t scratch;   /* elements of scratch needed */
    unsigned lagging; /* rounds that must end until all messages so far are complete */
    bool failed;      /* out of memory while building, or a value too large for its field */
    unsigned places;  /* after the three of collectives */
    struct summand__place_info *info; /* of these places; room for the next power of two, or NULL */
    struct summand__tables *tables;   /* computations and counters (schedule/compute.h), or NULL */
};

void summand__schedule_init(struct summand__schedule *schedule);
void summand__schedule_free(struct summand__schedule *schedule);
/* Frees unused memory for steps, once a schedule is complete. */
void summand__schedule_trim(struct summand__schedule *schedule);

/* Appends a step and returns it, to be filled in. If memory runs out, it returns a step that is not
 * in the schedule. */
struct summand__step *summand__append(struct summand__schedule *schedule,
                                      enum summand__action action, int peer);

/* Appends a copy of a step other than ROUND. Once its regions are final, call
 * summand__need_scratch, which grows the scratch. */
struct summand__step *summand__append_step(struct summand__schedule *schedule,
                                           const struct summand__step *step);
void summand__need_scratch(struct summand__schedule *schedule, const struct summand__step *step);

struct summand__region summand__region(enum summand__place place, size_t first, size_t count);
bool summand__regions_overlap(struct summand__region a, struct summand__region b);

/* Builders. They leave out regions without elements, and rounds without steps unless late messages
 * are in flight. A region of scratch grows the scratch. */
void summand__send(struct summand__schedule *schedule, int peer, struct summand__region from);
void summand__recv(struct summand__schedule *schedule, int peer, struct summand__region to);
void summand__send_late(struct summand__schedule *schedule, int peer, struct summand__region from,
                        unsigned lag);
void summand__recv_late(struct summand__schedule *schedule, int peer, struct summand__region to,
                        unsigned lag);
/* The send of a multicast to one peer; the sends to all others follow at once. The second is the
 * receive at each peer. */
void summand__multicast(struct summand__schedule *schedule, int peer, struct summand__region from);
void summand__recv_multicast(struct summand__schedule *schedule, int peer,
                             struct summand__region to);
void summand__reduce(struct summand__schedule *schedule, struct summand__region from,
                     struct summand__region to);
void summand__copy(struct summand__schedule *schedule, struct summand__region from,
                   struct summand__region to);
void summand__round(struct summand__schedule *schedule);
/* Ends as many rounds as needed until no message is late. */
void summand__drain(struct summand__schedule *schedule);

/* The greatest lag of a message. */
unsigned summand__schedule_lag(const struct summand__schedule *schedule);

/* The largest number of messages in flight, whenever late receives are posted in their rounds. Once
 * so many later messages are posted, a message is complete. */
size_t summand__schedule_width(const struct summand__schedule *schedule);

/* Messages are sends and receives. Puts are not messages: no rank posts a receive for them. */
static inline bool summand__receives(const struct summand__step *step)
{
    return step->action == SUMMAND__RECV || step->action == SUMMAND__RECV_REDUCE;
}

static inline bool summand__is_message(const struct summand__step *step)
{
    return step->action == SUMMAND__SEND || summand__receives(step);
}

/* The region in which a receive's message arrives. */
static inline struct summand__region summand__arrives(const struct summand__step *step)
{
    return step->action == SUMMAND__RECV_REDUCE ? step->from : step->to;
}

/* True if the step reads elements of the region that were there before it. */
bool summand__reads(const struct summand__step *step, struct summand__region region);

static inline bool summand__regions_equal(struct summand__region a, struct summand__region b)
{
    return a.place == b.place && a.first == b.first && a.count == b.count;
}

/* True if the step is the first send of a multicast, or a send that is not part of one. */
static inline bool summand__begins_send(const struct summand__schedule *schedule, size_t step)
{
    const struct summand__step *steps = schedule->steps;
    return !(step && steps[step].action == SUMMAND__SEND && summand__is_multicast(&steps[step]) &&
             summand__is_multicast(&steps[step - 1]) && steps[step - 1].action == SUMMAND__SEND);
}

const char *summand__action_name(enum summand__action action);
