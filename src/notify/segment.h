/* SPDX-License-Identifier: BSD-3-Clause */
/* A segment is a window with one slot. A counter of a window has one producer. So an id has a
 * counter for each rank that may add to it, called a lane. Some ids are the library's own. */
#pragma once

#include <summand/notify.h>

#include "compute/mpi/window.h"
#include "wait/wait.h"

/* The library's ids, before those of users. A rank counts on LEAVES when it frees the segment, on
 * ROUND in a round of a barrier, on FENCE when its puts before a fence are at the target. */
enum { SUMMAND__ID_LEAVES, SUMMAND__ID_ROUND, SUMMAND__ID_FENCE, SUMMAND__OWN_IDS };

enum { SUMMAND__MOST_QUEUES = 1024, SUMMAND__QUEUE_DEPTH = 1024 };

/* After so many polls without success a wait also checks whether ranks free the segment. */
enum { SUMMAND__RARELY = 16 };

struct summand__put_queue {
    int under_way; /* puts in flight */
    int *to;       /* how many of them go to each rank */
};

/* The reason why a rank is in a barrier: a barrier of the caller's, without or with a fence, or
 * another call.
 */
enum summand__barrier_kind {
    SUMMAND__BARRIER_PLAIN,
    SUMMAND__BARRIER_FENCE,
    SUMMAND__BARRIER_RANGE,
    SUMMAND__BARRIER_RANGE_FREE,
    SUMMAND__BARRIER_KINDS
};

struct summand__segment_barrier {
    bool begun, fence;
    enum summand__barrier_kind kind; /* of this rank */
    unsigned kinds;                  /* a bit for each kind of some rank, as far as known */
    int round;                       /* 1, 2, 4, ...; 0: at the fence */
    int told; /* at the fence: ranks below this have been notified; else: 1 once the round's rank
                 has been notified */
    uint64_t number; /* of barriers so far, and of their fences */
    uint64_t fences;
    uint64_t counted; /* added to each round's counter by the barriers before */
};

/* The purpose of a wait, for messages of stuck ranks. */
struct summand__segment_wait {
    const char *call;
    int source, id;
    uint64_t value;
    int rank; /* awaited rank; -1: all others */
};

struct summand_segment {
    struct summand__state *state;
    struct summand__window *window;
    struct summand__watch watch;
    struct summand__segment_wait waiting;
    int ids, queues, depth;
    int *range; /* of each id. Above 0: a range of so many ids begins here; 0: the id is free; below
                   0: the id is in a range that begins so many ids before */
    uint64_t *base; /* of each lane of the users' ids: its count when the range was reserved */
    uint64_t *sent; /* to each user's id of each rank, as `base`: all that this rank has added */
    struct summand__put_queue *queue;
    bool *reached; /* ranks that this one has put to since the last fence */
    struct summand__segment_barrier barrier;
    unsigned looks; /* polls without success */
    int broken;     /* the error after which no call works; or MPI_SUCCESS */
};

static inline int summand__lane(const struct summand_segment *segment, int own_id, int producer)
{
    return own_id * segment->state->ranks + producer;
}

/* The lane of a user's id; and its place in `base`. */
static inline int summand__user_lane(const struct summand_segment *segment, int id, int producer)
{
    return summand__lane(segment, SUMMAND__OWN_IDS + id, producer);
}
static inline size_t summand__base_of(const struct summand_segment *segment, int id, int producer)
{
    return (size_t)id * (size_t)segment->state->ranks + (size_t)producer;
}

/* Waits until `poll` is true, with the limits of all waits of the library; `timeout` as in the
 * public header. May return SUMMAND_NOTIFY_NOT_YET. `segment->waiting` describes the wait.
 */
int summand__segment_wait_until(struct summand_segment *segment, summand__poll *poll, void *context,
                                double timeout);

/* Returns the code of a call of the window. An error that makes the window unusable is stored in
 * `broken`. */
int summand__segment_note(struct summand_segment *segment, int code);

/* True if a rank, or with -1 all others, frees the segment. */
int summand__segment_left(struct summand_segment *segment, int rank, bool *left);

/* wait.c */
int summand__segment_wait(struct summand_segment *segment, int source, int id, uint64_t value,
                          double timeout);
int summand__segment_wait_any(struct summand_segment *segment, int source, int first, int count,
                              const uint64_t *values, double timeout, int *which);
int summand__segment_value(struct summand_segment *segment, int source, int id, uint64_t *value);

/* queue.c */
bool summand__segment_has_room(struct summand_segment *segment, int queue, int *code);
int summand__segment_queue_wait(struct summand_segment *segment, int queue, double timeout);

/* barrier.c. If ranks are in the barrier for different kinds, all get SUMMAND_ERR_MISMATCH; then
 * the segment can only be freed. */
int summand__segment_barrier(struct summand_segment *segment, enum summand__barrier_kind kind,
                             double timeout);
/* True if the last barrier was that of summand_notify_range or _range_free on some rank. */
bool summand__segment_barrier_met_ranges(const struct summand_segment *segment);

/* Tells all others that this rank frees the segment, and waits until they do. */
int summand__segment_part(struct summand_segment *segment);

/* range.c: reserves and releases ids, locally. find: -1 if there is no free range. */
int summand__range_find(const struct summand_segment *segment, int count);
void summand__range_take(struct summand_segment *segment, int first, int count);
int summand__range_drop(struct summand_segment *segment, int first);

/* segment.c, collective: makes a segment. `code`: an error of this rank's arguments. */
int summand__segment_make(struct summand__state *state, MPI_Count bytes, int ids,
                          const struct summand_segment_options *options, int code,
                          struct summand_segment **segment);
/* Local. */
void summand__segment_drop(struct summand_segment *segment);
