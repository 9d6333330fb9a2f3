/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/timeline/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/schedule.h"

enum summand__timeline_kind summand__timeline_kind_of(const struct summand__recorded *recorded)
{
    switch (recorded->action) {
    case SUMMAND__SEND:
    case SUMMAND__PUT:
    case SUMMAND__NOTIFY:
        return SUMMAND__TIMELINE_SENDING;
    case SUMMAND__RECV:
    case SUMMAND__RECV_REDUCE:
    case SUMMAND__WAIT_COUNTER:
    case SUMMAND__ROUND:
        return SUMMAND__TIMELINE_WAITING;
    default:
        return SUMMAND__TIMELINE_COMPUTING;
    }
}

static void add_transfer(struct summand__timeline *timeline, struct summand__transfer_time transfer)
{
    size_t n = timeline->transfers;
    if (!transfer.bytes || timeline->failed)
        return;
    if (!(n & (n - 1))) { /* empty, or full at a power of two */
        struct summand__transfer_time *more =
            realloc(timeline->transfer, (n ? 2 * n : 1) * sizeof *more);
        timeline->failed = !more;
        if (!more)
            return;
        timeline->transfer = more;
    }
    timeline->transfer[timeline->transfers++] = transfer;
}

/* When the rank knows that a counter has reached `number`: at the end of the first wait that says
 * so. +inf: it does not wait for that. */
static double counter_end(const struct summand__timeline *timeline, int rank, uint32_t counter,
                          int64_t number)
{
    for (size_t i = 0; i < timeline->count[rank]; i++) {
        const struct summand__recorded *recorded = &timeline->of[rank][i];
        if (recorded->action == SUMMAND__WAIT_COUNTER && recorded->counter == counter &&
            recorded->value >= number)
            return recorded->end;
    }
    return INFINITY;
}

/* Adds the transfer of the notification at `at`: the data of all puts to its peer since the
 * previous notification. */
static void add_notified(struct summand__timeline *timeline, int rank, size_t at)
{
    const struct summand__recorded *all = timeline->of[rank], *notify = &all[at];
    struct summand__transfer_time transfer = {.from = rank, .to = notify->peer, .end = notify->end};
    int64_t number = 1;
    bool open = true;
    for (size_t i = at; i-- > 0;) {
        if (all[i].peer != notify->peer)
            continue;
        number += all[i].action == SUMMAND__NOTIFY && all[i].counter == notify->counter;
        open = open && all[i].action != SUMMAND__NOTIFY;
        if (open && all[i].action == SUMMAND__PUT) {
            transfer.bytes += all[i].bytes;
            transfer.begin = all[i].begin;
        }
    }
    double known = counter_end(timeline, notify->peer, notify->counter, number);
    if (!timeline->immediate && known > transfer.end && known < INFINITY)
        transfer.end = known;
    add_transfer(timeline, transfer);
}

/* Adds message number `number` from one rank to another, from its send to the end of the wait for
 * its group. */
static void add_message(struct summand__timeline *timeline, int from, int to, size_t number,
                        const struct summand__recorded *send)
{
    const struct summand__recorded *all = timeline->of[to];
    size_t count = timeline->count[to], i = 0;
    for (; i < count; i++)
        if ((all[i].action == SUMMAND__RECV || all[i].action == SUMMAND__RECV_REDUCE) &&
            all[i].peer == from && !number--)
            break;
    if (i == count)
        return;
    struct summand__transfer_time transfer = {from, to, send->begin, send->end, send->bytes};
    for (uint32_t group = all[i].group; i < count; i++)
        if (all[i].action == SUMMAND__ROUND && all[i].group == group) {
            transfer.end = fmax(transfer.end, all[i].end);
            break;
        }
    add_transfer(timeline, transfer);
}

void summand__timeline_make(struct summand__timeline *timeline)
{
    size_t *sent = calloc((size_t)timeline->ranks + 1, sizeof *sent);
    timeline->failed = !sent;
    timeline->transfer = NULL;
    timeline->transfers = 0;
    timeline->begin = INFINITY;
    timeline->end = -INFINITY;
    for (int r = 0; r < timeline->ranks && sent; r++) {
        memset(sent, 0, (size_t)timeline->ranks * sizeof *sent);
        for (size_t i = 0; i < timeline->count[r]; i++) {
            const struct summand__recorded *recorded = &timeline->of[r][i];
            timeline->begin = fmin(timeline->begin, recorded->begin);
            timeline->end = fmax(timeline->end, recorded->end);
            if (recorded->action == SUMMAND__NOTIFY)
                add_notified(timeline, r, i);
            else if (recorded->action == SUMMAND__SEND)
                add_message(timeline, r, recorded->peer, sent[recorded->peer]++, recorded);
        }
    }
    free(sent);
}

void summand__timeline_free(struct summand__timeline *timeline)
{
    free(timeline->transfer);
    timeline->transfer = NULL;
    timeline->transfers = 0;
}

static int by_begin(const void *a, const void *b)
{
    const struct summand__transfer_time *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* The time that the rank computes within an interval. */
static double computing_within(const struct summand__timeline *timeline, int rank, double begin,
                               double end)
{
    double sum = 0;
    for (size_t i = 0; i < timeline->count[rank]; i++) {
        const struct summand__recorded *recorded = &timeline->of[rank][i];
        double from = fmax(begin, recorded->begin), to = fmin(end, recorded->end);
        if (to > from && summand__timeline_kind_of(recorded) == SUMMAND__TIMELINE_COMPUTING)
            sum += to - from;
    }
    return sum;
}

struct summand__timeline_rank summand__timeline_rank_of(struct summand__timeline *timeline,
                                                        int rank)
{
    struct summand__timeline_rank result = {.in_flight = 0};
    double until = -INFINITY;
    for (size_t i = 0; i < timeline->count[rank]; i++) {
        const struct summand__recorded *recorded = &timeline->of[rank][i];
        result.of_kind[summand__timeline_kind_of(recorded)] += recorded->end - recorded->begin;
    }
    if (timeline->transfers)
        qsort(timeline->transfer, timeline->transfers, sizeof *timeline->transfer, by_begin);
    for (size_t i = 0; i < timeline->transfers; i++) {
        const struct summand__transfer_time *transfer = &timeline->transfer[i];
        double begin = fmax(transfer->begin, until);
        if (transfer->to != rank || transfer->end <= begin)
            continue;
        result.in_flight += transfer->end - begin;
        result.hidden += computing_within(timeline, rank, begin, transfer->end);
        until = transfer->end;
    }
    return result;
}

struct summand__timeline_sum summand__timeline_sum_of(struct summand__timeline *timeline)
{
    double in_flight = 0, hidden = 0, flops = 0, computing = 0, bytes = 0, bandwidth = NAN;
    for (int r = 0; r < timeline->ranks; r++) {
        struct summand__timeline_rank rank = summand__timeline_rank_of(timeline, r);
        in_flight += rank.in_flight;
        hidden += rank.hidden;
        for (size_t i = 0; i < timeline->count[r]; i++) {
            const struct summand__recorded *recorded = &timeline->of[r][i];
            if (!(recorded->flops > 0))
                continue;
            flops += recorded->flops;
            computing += recorded->end - recorded->begin;
        }
    }
    for (size_t i = 0; i < timeline->transfers; i++) {
        const struct summand__transfer_time *transfer = &timeline->transfer[i];
        bytes += (double)transfer->bytes;
        if (transfer->end > transfer->begin)
            bandwidth =
                fmax(bandwidth, (double)transfer->bytes / (transfer->end - transfer->begin));
    }
    return (struct summand__timeline_sum){hidden / in_flight, flops, bytes, flops / computing,
                                          bandwidth};
}

double summand__hidden_from(double bits, double bandwidth, double flop)
{
    return 0.5 + bits / (2 * bandwidth * flop);
}
