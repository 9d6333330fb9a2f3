/* A schedule: what one rank does in a collective operation, as data.
 *
 * A schedule is a list of steps over regions of three places: the caller's sendbuf (read only), the
 * caller's recvbuf, and scratch. Steps are grouped in rounds. Within a round messages are in flight
 * together and local steps run in their order meanwhile; a round ends when its messages have
 * arrived. So within a round no message may share a region with another message or with a local
 * step, unless both only read it. Nothing here knows addresses, datatypes or MPI: the executor, the
 * verifier and the counters all read the same list. */
#ifndef SUMMAND_SCHEDULE_SCHEDULE_H
#define SUMMAND_SCHEDULE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>

enum summand__place { SUMMAND__SENDBUF, SUMMAND__RECVBUF, SUMMAND__SCRATCH, SUMMAND__PLACES };

/* Elements [first, first + count) of a place. */
struct summand__region {
    enum summand__place place;
    size_t first, count;
};

enum summand__action {
    SUMMAND__SEND,   /* from -> peer */
    SUMMAND__RECV,   /* peer -> to */
    SUMMAND__REDUCE, /* to = from op to: `from` is the left operand */
    SUMMAND__COPY,   /* to = from */
    SUMMAND__ROUND,  /* the end of a round */
    SUMMAND__ACTIONS
};

struct summand__step {
    enum summand__action action;
    int peer;
    struct summand__region from, to;
};

struct summand__schedule {
    struct summand__step *steps;
    size_t length, capacity;
    size_t scratch; /* elements of scratch needed */
    bool streams;   /* a rank may send many messages that wait for nothing: pipelines */
    bool failed;    /* out of memory while building */
};

void summand__schedule_init(struct summand__schedule *schedule);
void summand__schedule_free(struct summand__schedule *schedule);

struct summand__region summand__region(enum summand__place place, size_t first, size_t count);
bool summand__regions_overlap(struct summand__region a, struct summand__region b);

/* Builders. Regions of no elements are left out; a region of scratch grows the scratch. */
void summand__send(struct summand__schedule *schedule, int peer, struct summand__region from);
void summand__recv(struct summand__schedule *schedule, int peer, struct summand__region to);
void summand__reduce(struct summand__schedule *schedule, struct summand__region from,
                     struct summand__region to);
void summand__copy(struct summand__schedule *schedule, struct summand__region from,
                   struct summand__region to);
void summand__round(struct summand__schedule *schedule);

/* The largest number of messages in one round. */
size_t summand__schedule_width(const struct summand__schedule *schedule);

const char *summand__action_name(enum summand__action action);

#endif
