/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for counters of a segment. */
#include <math.h>
#include <stdio.h>
#include <summand/error.h>

#include "notify/segment.h"
#include "plan/active.h"
#include "process/error.h"

/* The number of cheap polls before a wait turns to costlier ones. A poll takes some ns. A turn of
 * the library's waits includes a pause of the processor, which is longer than a short put; so the
 * first polls go without. */
enum { QUICK = 128, QUICK_OVERSUBSCRIBED = 2, QUICK_IN_PLACE = 1000 };

int summand__segment_note(struct summand_segment *segment, int code)
{
    enum summand_error error = summand_error_of(code);
    bool harmless = code == MPI_SUCCESS || code == MPI_ERR_RANK || code == MPI_ERR_ARG ||
                    code == MPI_ERR_RMA_RANGE || error == SUMMAND_ERR_MEMORY ||
                    error == SUMMAND_ERR_TIMEOUT || error == SUMMAND_ERR_REMOTE;
    if (!harmless)
        segment->broken = code;
    return code;
}

int summand__segment_left(struct summand_segment *segment, int rank, bool *left)
{
    const struct summand__state *state = segment->state;
    int first = rank < 0 ? 0 : rank, end = rank < 0 ? state->ranks : rank + 1;
    int code = MPI_SUCCESS, others = 0;
    *left = true;
    for (int r = first; r < end && *left && code == MPI_SUCCESS; r++) {
        if (r == state->rank)
            continue;
        others++;
        code = segment->window->transport->test(
            segment->window, summand__lane(segment, SUMMAND__ID_LEAVES, r), 1, left);
    }
    *left = *left && others > 0 && code == MPI_SUCCESS;
    return code;
}

static void each_awaited(const void *of, summand__each_rank *each, void *to)
{
    const struct summand_segment *segment = of;
    for (int r = 0; r < segment->state->ranks; r++)
        if (r != segment->state->rank && (segment->waiting.rank < 0 || r == segment->waiting.rank))
            each(to, r);
}

int summand__segment_wait_until(struct summand_segment *segment, summand__poll *poll, void *context,
                                double timeout)
{
    const struct summand__nodes *nodes = &segment->state->nodes;
    int code = MPI_SUCCESS, quick = nodes->most > nodes->processors ? QUICK_OVERSUBSCRIBED : QUICK;
    if (!(timeout < 0) && !(timeout > 0))
        quick = 1;
    for (int i = 0; i < quick && code == MPI_SUCCESS; i++)
        if (poll(context, &code))
            return MPI_SUCCESS;
    if (code == MPI_SUCCESS && !(timeout < 0) && !(timeout > 0))
        return SUMMAND_NOTIFY_NOT_YET;
    if (code == MPI_SUCCESS) {
        summand__active_take(segment->state);
        segment->watch.awaited = each_awaited;
        segment->watch.of = segment;
        code = summand__window_wait_until(segment->window, poll, context, NULL,
                                          timeout > 0 ? timeout : 0);
        summand__watch_end(&segment->watch);
        if (timeout > 0 && summand_error_of(code) == SUMMAND_ERR_TIMEOUT)
            return SUMMAND_NOTIFY_NOT_YET;
    }
    return summand__segment_note(segment, code);
}

int summand__segment_value(struct summand_segment *segment, int source, int id, uint64_t *value)
{
    struct summand__window *window = segment->window;
    int first = source == MPI_ANY_SOURCE ? 0 : source, code = MPI_SUCCESS;
    int end = source == MPI_ANY_SOURCE ? segment->state->ranks : source + 1;
    uint64_t sum = 0;
    for (int r = first; r < end && code == MPI_SUCCESS; r++) {
        uint64_t lane = 0;
        code = window->transport->read(window, summand__user_lane(segment, id, r), &lane);
        lane -= segment->base[summand__base_of(segment, id, r)];
        sum += lane < UINT64_MAX - sum ? lane : UINT64_MAX - sum; /* it never decreases */
    }
    if (code == MPI_SUCCESS)
        *value = sum;
    return code;
}

/* True if a counter has reached its value. */
static int has_come(struct summand_segment *segment, int source, int id, uint64_t value, bool *done)
{
    uint64_t now = 0;
    if (source != MPI_ANY_SOURCE) {
        uint64_t base = segment->base[summand__base_of(segment, id, source)];
        if (value <= UINT64_MAX - base)
            return segment->window->transport->test(
                segment->window, summand__user_lane(segment, id, source), value + base, done);
    }
    int code = summand__segment_value(segment, source, id, &now);
    *done = code == MPI_SUCCESS && now >= value;
    return code;
}

struct counters {
    struct summand_segment *segment;
    int source, first, count, which;
    const uint64_t *values;
};

static bool look_at_all(struct counters *counters, int *code)
{
    bool done = false;
    for (int i = 0; i < counters->count && !done && *code == MPI_SUCCESS; i++) {
        *code = has_come(counters->segment, counters->source, counters->first + i,
                         counters->values[i], &done);
        counters->which = done ? i : -1;
    }
    return done;
}

/* A rank that has left adds no more. If its additions do not suffice, the wait fails. */
static bool look_for_leavers(struct counters *counters, int *code)
{
    struct summand_segment *segment = counters->segment;
    bool left = false;
    int rank = counters->source == MPI_ANY_SOURCE ? -1 : counters->source;
    *code = summand__segment_left(segment, rank, &left);
    if (!left || *code != MPI_SUCCESS)
        return false;
    if (look_at_all(counters, code))
        return true;
    if (*code == MPI_SUCCESS) {
        *code = summand_error_code(SUMMAND_ERR_REMOTE);
        summand__error_explain(SUMMAND_ERR_REMOTE, "the rank that is waited for, or each of them, "
                                                   "frees the segment");
    }
    return false;
}

static bool look_at_counters(void *context, int *code)
{
    struct counters *counters = context;
    if (look_at_all(counters, code))
        return true;
    if (*code == MPI_SUCCESS && ++counters->segment->looks % SUMMAND__RARELY == 0)
        return look_for_leavers(counters, code);
    return false;
}

/* The first polls, if the counter can be read in place. */
static bool comes_soon(const struct summand_segment *segment, int source, int id, uint64_t value,
                       double timeout)
{
    const struct summand__window *window = segment->window;
    const struct summand__nodes *nodes = &segment->state->nodes;
    uint64_t base = segment->base[summand__base_of(segment, id, source)];
    const _Atomic uint64_t *counter =
        window->transport->place(window, summand__user_lane(segment, id, source));
    for (int i = nodes->most > nodes->processors || !(timeout > 0 || timeout < 0) ? 1
                                                                                  : QUICK_IN_PLACE;
         i > 0; i--)
        if (atomic_load_explicit(counter, memory_order_acquire) - base >= value)
            return true;
    return false;
}

int summand__segment_wait(struct summand_segment *segment, int source, int id, uint64_t value,
                          double timeout)
{
    int which;
    if (source != MPI_ANY_SOURCE && segment->window->transport->place &&
        comes_soon(segment, source, id, value, timeout))
        return MPI_SUCCESS;
    return summand__segment_wait_any(segment, source, id, 1, &value, timeout, &which);
}

int summand__segment_wait_any(struct summand_segment *segment, int source, int first, int count,
                              const uint64_t *values, double timeout, int *which)
{
    struct counters counters = {segment, source, first, count, -1, values};
    int code = MPI_SUCCESS;
    if (look_at_all(&counters, &code)) {
        *which = counters.which;
        return MPI_SUCCESS;
    }
    segment->waiting = (struct summand__segment_wait){
        .call = count > 1 ? "summand_notify_wait_any" : "summand_notify_wait",
        .source = source,
        .id = first,
        .value = *values,
        .rank = source == MPI_ANY_SOURCE ? -1 : source};
    if (code == MPI_SUCCESS)
        code = summand__segment_wait_until(segment, look_at_counters, &counters, timeout);
    else
        summand__segment_note(segment, code);
    *which = code == MPI_SUCCESS ? counters.which : -1;
    return code;
}
