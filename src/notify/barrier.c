/* SPDX-License-Identifier: BSD-3-Clause */
/* Barriers by counters: dissemination (Hensgen, Finkel, Manber 1988), ceil(log2 p) rounds. If a
 * wait times out, the barrier keeps its state, and the next call continues it.
 *
 * A fence comes before the rounds. If a counting call returns only when the data are at the target,
 * a rank counts at each rank to which it has put, and the fence is over. Otherwise every rank
 * counts at every other one. A rank that has seen the counts of all others has their data, and
 * begins the rounds.
 *
 * The counters of the rounds also carry the kinds of barrier that their rank knows of, so in the
 * end each rank knows the kinds of all. A barrier adds UNIT and a bit for each kind. A rank may be
 * at most one barrier ahead of a rank that waits for it, so barriers use two sets of bits in
 * turn. */
#include <stdio.h>
#include <string.h>
#include <summand/error.h>

#include "notify/segment.h"
#include "process/error.h"

enum { BITS = SUMMAND__BARRIER_KINDS, UNIT = 1 << 2 * BITS };

/* The bits of kinds in this barrier's additions. */
static uint64_t shifted(const struct summand__segment_barrier *barrier, uint64_t kinds)
{
    return kinds << (barrier->number % 2 ? BITS : 0);
}

/* Adds `add` to a counter of another rank. Without memory the transport can store one of these at a
 * time; others wait for the counter, so the call is repeated later. */
static bool notify(struct summand_segment *segment, int rank, int own_id, uint64_t add, int *code)
{
    const struct summand__put put = {.rank = rank,
                                     .counter =
                                         summand__lane(segment, own_id, segment->state->rank),
                                     .more = add - 1};
    *code = segment->window->transport->put(segment->window, &put);
    if (*code == MPI_SUCCESS)
        return true;
    if (summand_error_of(*code) == SUMMAND_ERR_MEMORY)
        *code = MPI_SUCCESS;
    return false;
}

/* Notifies ranks from `*next` on; true once all have been notified. */
static bool notify_others(struct summand_segment *segment, int own_id, bool reached_alone,
                          int *next, int *code)
{
    for (; *next < segment->state->ranks; ++*next)
        if (*next != segment->state->rank && (!reached_alone || segment->reached[*next]) &&
            !notify(segment, *next, own_id, 1, code))
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

/* The rank that this rank waits for in the round. */
static int before(const struct summand_segment *segment, int round)
{
    int ranks = segment->state->ranks;
    return (segment->state->rank + ranks - round) % ranks;
}

/* True if the rank before this one has reached the round; then its kinds are known too. */
static bool has_come(struct summand_segment *segment, int round, int *code)
{
    struct summand__segment_barrier *barrier = &segment->barrier;
    const struct summand__window_transport *transport = segment->window->transport;
    const int lane = summand__lane(segment, SUMMAND__ID_ROUND, before(segment, round));
    uint64_t value = 0;
    bool done = false;
    *code = transport->test(segment->window, lane, barrier->counted + UNIT, &done);
    if (done && *code == MPI_SUCCESS)
        *code = transport->read(segment->window, lane, &value);
    if (!done || *code != MPI_SUCCESS)
        return false;
    for (int kind = 0; kind < SUMMAND__BARRIER_KINDS; kind++)
        if ((value - barrier->counted) & shifted(barrier, UINT64_C(1) << kind))
            barrier->kinds |= 1U << kind;
    return true;
}

static bool is_mismatch(const struct summand__segment_barrier *barrier)
{
    return barrier->kinds & (barrier->kinds - 1);
}

/* Ranks without a fence never count it: their successors learn this in the first round. */
static bool is_fence_over(struct summand_segment *segment, int *code)
{
    struct summand__segment_barrier *barrier = &segment->barrier;
    bool completes = segment->window->transport->abilities & SUMMAND__NOTIFY_COMPLETES;
    if (!notify_others(segment, SUMMAND__ID_FENCE, completes, &barrier->told, code))
        return false;
    if (completes || have_counted(segment, SUMMAND__ID_FENCE, barrier->fences, code))
        return true;
    return *code == MPI_SUCCESS && has_come(segment, 1, code) && is_mismatch(barrier);
}

static bool is_round_over(struct summand_segment *segment, int *code)
{
    struct summand__segment_barrier *barrier = &segment->barrier;
    int ranks = segment->state->ranks, next = (segment->state->rank + barrier->round) % ranks;
    if (!barrier->told)
        barrier->told =
            notify(segment, next, SUMMAND__ID_ROUND, UNIT + shifted(barrier, barrier->kinds), code);
    return barrier->told && has_come(segment, barrier->round, code);
}

/* Advances as far as possible; true once the barrier is over. */
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

/* A rank that frees the segment enters no barrier, but it may have entered this one before. */
static bool look_for_leavers(struct summand_segment *segment, int *code)
{
    bool left = false;
    for (int r = 0; r < segment->state->ranks && !left && *code == MPI_SUCCESS; r++)
        if (r != segment->state->rank &&
            (!segment->barrier.round || r == before(segment, segment->barrier.round)))
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

static bool look_at_barrier(void *context, int *code)
{
    struct summand_segment *segment = context;
    if (go_on(segment, code))
        return true;
    return *code == MPI_SUCCESS && ++segment->looks % SUMMAND__RARELY == 0 &&
           look_for_leavers(segment, code);
}

/* All ranks know that they are in different barriers. That ends the segment: puts that a fence
 * should complete may be in flight, and counters of fences disagree. */
static int tell_mismatch(struct summand_segment *segment, enum summand__barrier_kind kind)
{
    static const char *const names[SUMMAND__BARRIER_KINDS] = {
        "fence: 0", "fence: 1", "summand_notify_range", "summand_notify_range_free"};
    char text[160];
    int used = snprintf(text, sizeof text, "%s on rank %d", names[kind], segment->state->rank);
    for (int k = 0; k < SUMMAND__BARRIER_KINDS; k++)
        if (k != (int)kind && segment->barrier.kinds >> k & 1)
            used +=
                snprintf(text + used, sizeof text - (size_t)used, ", %s on some others", names[k]);
    summand__error_explain(SUMMAND_ERR_MISMATCH, "%s", text);
    return summand__segment_note(segment, summand_error_code(SUMMAND_ERR_MISMATCH));
}

bool summand__segment_barrier_met_ranges(const struct summand_segment *segment)
{
    return segment->barrier.kinds >> SUMMAND__BARRIER_RANGE & 1 ||
           segment->barrier.kinds >> SUMMAND__BARRIER_RANGE_FREE & 1;
}

int summand__segment_barrier(struct summand_segment *segment, enum summand__barrier_kind kind,
                             double timeout)
{
    struct summand__segment_barrier *barrier = &segment->barrier;
    if (!barrier->begun) {
        barrier->begun = true;
        barrier->kind = kind;
        barrier->kinds = 1U << kind;
        barrier->fence = kind == SUMMAND__BARRIER_FENCE || kind == SUMMAND__BARRIER_RANGE_FREE;
        barrier->number++;
        barrier->fences += barrier->fence;
        barrier->round = barrier->fence ? 0 : 1;
        barrier->told = 0;
    }
    segment->waiting =
        (struct summand__segment_wait){.call = "summand_segment_barrier", .rank = -1};
    int code = summand__segment_wait_until(segment, look_at_barrier, segment, timeout);
    barrier->begun = code != MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        return code;
    if (is_mismatch(barrier))
        return tell_mismatch(segment, barrier->kind);
    barrier->counted += UNIT + shifted(barrier, barrier->kinds);
    if (barrier->fence)
        memset(segment->reached, 0, (size_t)segment->state->ranks * sizeof *segment->reached);
    return MPI_SUCCESS;
}

struct parting {
    struct summand_segment *segment;
    int told;
};

static bool have_left(void *context, int *code)
{
    struct parting *parting = context;
    return notify_others(parting->segment, SUMMAND__ID_LEAVES, false, &parting->told, code) &&
           have_counted(parting->segment, SUMMAND__ID_LEAVES, 1, code);
}

int summand__segment_part(struct summand_segment *segment)
{
    struct parting parting = {segment, 0};
    segment->waiting = (struct summand__segment_wait){.call = "summand_segment_free", .rank = -1};
    return summand__segment_wait_until(segment, have_left, &parting, SUMMAND_TIMEOUT_FOREVER);
}
