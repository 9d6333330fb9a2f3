/* Barriers by counters: dissemination (Hensgen, Finkel, Manber 1988), ceil(log2 p) rounds. A wait
 * whose time is over leaves it where it is, and the next call goes on.
 *
 * A fence comes before the rounds. Where a counter's call returns only when the data are at the
 * target, it counts at each rank that has been put to, and that is all. Elsewhere all ranks count
 * at all: whoever has seen that of each other rank has their data, and the rounds begin then. */
#include <string.h>
#include <summand/error.h>

#include "comm/error.h"
#include "notify/segment.h"

/* Counts at another rank. Without memory the transport has some for one of these at a time: it is
 * told later, as others wait for it. */
static bool notify(struct summand_segment *segment, int rank, int own_id, int *code)
{
    *code = segment->window->transport->notify(
        segment->window, rank, summand__lane(segment, own_id, segment->state->rank));
    if (*code == MPI_SUCCESS)
        return true;
    if (summand__error_of(*code) == SUMMAND_ERR_MEMORY)
        *code = MPI_SUCCESS;
    return false;
}

/* From rank `*next` on; whether all have been told. */
static bool notify_others(struct summand_segment *segment, int own_id, bool reached_alone,
                          int *next, int *code)
{
    for (; *next < segment->state->ranks; ++*next)
        if (*next != segment->state->rank && (!reached_alone || segment->reached[*next]) &&
            !notify(segment, *next, own_id, code))
            return false;
    return true;
}

static bool have_counted(struct summand_segment *segment, int own_id, uint64_t value, int *code)
{
    bool done = true;
    for (int r = 0; r < segment->state->ranks && done && *code == MPI_SUCCESS; r++)
        if (r != segment->state->rank)
            *code = segment->window->transport->test(
                segment->window, summand__lane(segment, own_id, r), value, &done);
    return done && *code == MPI_SUCCESS;
}

/* The rank that this one waits for in the round. */
static int before(const struct summand_segment *segment)
{
    int ranks = segment->state->ranks;
    return (segment->state->rank + ranks - segment->barrier.round) % ranks;
}

static bool is_fence_over(struct summand_segment *segment, int *code)
{
    struct summand__segment_barrier *barrier = &segment->barrier;
    bool completes = segment->window->transport->abilities & SUMMAND__NOTIFY_COMPLETES;
    if (!notify_others(segment, SUMMAND__ID_FENCE, completes, &barrier->told, code))
        return false;
    return completes || have_counted(segment, SUMMAND__ID_FENCE, barrier->fences, code);
}

static bool is_round_over(struct summand_segment *segment, int *code)
{
    struct summand__segment_barrier *barrier = &segment->barrier;
    int ranks = segment->state->ranks, next = (segment->state->rank + barrier->round) % ranks;
    bool done = false;
    if (!barrier->told)
        barrier->told = notify(segment, next, SUMMAND__ID_ROUND, code);
    if (!barrier->told)
        return false;
    *code = segment->window->transport->test(
        segment->window, summand__lane(segment, SUMMAND__ID_ROUND, before(segment)),
        barrier->number, &done);
    return done && *code == MPI_SUCCESS;
}

/* As far as it goes; whether it is over. */
static bool go_on(struct summand_segment *segment, int *code)
{
    struct summand__segment_barrier *barrier = &segment->barrier;
    while (barrier->round < segment->state->ranks) {
        if (!(barrier->round ? is_round_over(segment, code) : is_fence_over(segment, code)))
            return false;
        barrier->round = barrier->round ? 2 * barrier->round : 1;
        barrier->told = 0;
    }
    return true;
}

/* A rank that frees the segment comes to no barrier, but it may have come to this one before. */
static bool look_for_leavers(struct summand_segment *segment, int *code)
{
    bool left = false;
    for (int r = 0; r < segment->state->ranks && !left && *code == MPI_SUCCESS; r++)
        if (r != segment->state->rank && (!segment->barrier.round || r == before(segment)))
            *code = summand__segment_left(segment, r, &left);
    if (!left || *code != MPI_SUCCESS)
        return false;
    if (go_on(segment, code))
        return true;
    if (*code == MPI_SUCCESS) {
        *code = summand_error_code(SUMMAND_ERR_REMOTE);
        summand__error_explain(SUMMAND_ERR_REMOTE, "another rank frees the segment");
    }
    return false;
}

static bool look_at_barrier(struct summand__window *window, void *context, int *code)
{
    struct summand_segment *segment = context;
    (void)window;
    if (go_on(segment, code))
        return true;
    return *code == MPI_SUCCESS && ++segment->looks % SUMMAND__RARELY == 0 &&
           look_for_leavers(segment, code);
}

int summand__segment_barrier(struct summand_segment *segment, bool fence, double timeout)
{
    struct summand__segment_barrier *barrier = &segment->barrier;
    if (!barrier->begun) {
        barrier->begun = true;
        barrier->number++;
        barrier->fences += fence;
        barrier->round = fence ? 0 : 1;
        barrier->told = 0;
    }
    segment->waiting =
        (struct summand__segment_wait){.call = "summand_segment_barrier", .rank = -1};
    int code = summand__segment_wait_until(segment, look_at_barrier, segment, timeout);
    barrier->begun = code != MPI_SUCCESS;
    if (code == MPI_SUCCESS && fence)
        memset(segment->reached, 0, (size_t)segment->state->ranks * sizeof *segment->reached);
    return code;
}

struct parting {
    struct summand_segment *segment;
    int told;
};

static bool have_left(struct summand__window *window, void *context, int *code)
{
    struct parting *parting = context;
    (void)window;
    return notify_others(parting->segment, SUMMAND__ID_LEAVES, false, &parting->told, code) &&
           have_counted(parting->segment, SUMMAND__ID_LEAVES, 1, code);
}

int summand__segment_part(struct summand_segment *segment)
{
    struct parting parting = {segment, 0};
    segment->waiting = (struct summand__segment_wait){.call = "summand_segment_free", .rank = -1};
    return summand__segment_wait_until(segment, have_left, &parting, SUMMAND_FOREVER);
}
