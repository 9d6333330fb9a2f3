/* Segments: a window with one slot, whose counters are lanes. Windows have counters of one producer
 * each, so an id is a lane for each rank that may count it. Some ids are the library's own. */
#ifndef SUMMAND_NOTIFY_SEGMENT_H
#define SUMMAND_NOTIFY_SEGMENT_H

#include <summand/notify.h>

#include "comm/wait/watch.h"
#include "transport/window/window.h"

/* The library's ids, before those of users: this rank frees the segment; it is at a round of a
 * barrier; its puts before a fence are here. */
enum { SUMMAND__ID_LEAVES, SUMMAND__ID_ROUND, SUMMAND__ID_FENCE, SUMMAND__OWN_IDS };

enum { SUMMAND__MOST_QUEUES = 1024, SUMMAND__QUEUE_DEPTH = 1024 };

/* One look in vain of so many is for ranks that free the segment. */
enum { SUMMAND__RARELY = 16 };

struct summand__put_queue {
    int under_way;
    int *to; /* of these, to each rank */
};

/* What a rank is in a barrier for: without and with a fence, and of other calls. */
enum summand__barrier_kind {
    SUMMAND__BARRIER_PLAIN,
    SUMMAND__BARRIER_FENCE,
    SUMMAND__BARRIER_RANGE,
    SUMMAND__BARRIER_RANGE_FREE,
    SUMMAND__BARRIER_KINDS
};

struct summand__segment_barrier {
    bool begun, fence;
    enum summand__barrier_kind kind; /* with which it was begun */
    unsigned kinds;                  /* one bit of each that some rank has, as far as is known */
    int round;                       /* 1, 2, 4, ...; 0: at the fence */
    int told;        /* the fence: to ranks before this one; a round: whether the rank has been */
    uint64_t number; /* of barriers, and of their fences */
    uint64_t fences;
    uint64_t counted; /* of each round's counter: what the barriers before have added */
};

/* What is waited for, for words. */
struct summand__segment_wait {
    const char *call;
    int source, id;
    uint64_t value;
    int rank; /* waited for; -1: all others */
};

struct summand_segment {
    struct summand__state *state;
    struct summand__window *window;
    struct summand__watch watch;
    struct summand__segment_wait waiting;
    int ids, queues, depth;
    int *range; /* of each id: how many ids the range has that begins there; 0: it is free; below
                   0: of a range that began so many before */
    uint64_t *base; /* of each lane of the users' ids: its count when the range was handed out */
    struct summand__put_queue *queue;
    bool *reached; /* ranks that this one has put to since the last fence */
    struct summand__segment_barrier barrier;
    unsigned looks; /* in vain */
    int broken;     /* the error after which nothing works any more */
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

/* Waiting as everywhere in the library: `look` until it is true, `timeout` as in the public header.
 * Returns SUMMAND_NOT_YET too. `segment->waiting` says what for. */
int summand__segment_wait_until(struct summand_segment *segment, summand__window_look *look,
                                void *context, double timeout);

/* What a call of the window came to: errors after which it works no more are kept. */
int summand__segment_note(struct summand_segment *segment, int code);

/* Whether a rank, or with -1 all others, frees the segment. */
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

/* barrier.c. SUMMAND_ERR_MISMATCH on all ranks that are in it for different things; then the
 * segment can only be freed. */
int summand__segment_barrier(struct summand_segment *segment, enum summand__barrier_kind kind,
                             double timeout);
/* Whether ranks have met in the last barrier that were in summand_notify_range or _range_free. */
bool summand__segment_barrier_met_ranges(const struct summand_segment *segment);

/* Tells all others that this rank frees the segment, and waits until they do. */
int summand__segment_part(struct summand_segment *segment);

/* range.c: of the ids alone; -1: there is no room. */
int summand__range_find(const struct summand_segment *segment, int count);
void summand__range_take(struct summand_segment *segment, int first, int count);
int summand__range_drop(struct summand_segment *segment, int first);

/* segment.c, collective: makes it, `code` being what this rank has found wrong. */
int summand__segment_make(struct summand__state *state, MPI_Count bytes, int ids,
                          const struct summand_segment_options *options, int code,
                          struct summand_segment **segment);
/* Local. */
void summand__segment_drop(struct summand_segment *segment);

#endif
