/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "schedule/compute.h"

static const char *const action_names[SUMMAND__ACTIONS] = {[SUMMAND__SEND] = "send",
                                                           [SUMMAND__RECV] = "recv",
                                                           [SUMMAND__RECV_REDUCE] = "recv-reduce",
                                                           [SUMMAND__REDUCE] = "reduce",
                                                           [SUMMAND__COPY] = "copy",
                                                           [SUMMAND__COMPUTE] = "compute",
                                                           [SUMMAND__PUT] = "put",
                                                           [SUMMAND__NOTIFY] = "notify",
                                                           [SUMMAND__WAIT_COUNTER] = "wait-counter",
                                                           [SUMMAND__ROUND] = "round"};

/* Short schedules of blocking calls stay below the sizes that the C library allocates at once. */
enum { FIRST_STEPS = 8 };

void summand__schedule_init(struct summand__schedule *schedule)
{
    *schedule = (struct summand__schedule){0};
}

void summand__schedule_free(struct summand__schedule *schedule)
{
    free(schedule->steps);
    free(schedule->info);
    summand__tables_free(schedule->tables);
    summand__schedule_init(schedule);
}

void summand__schedule_trim(struct summand__schedule *schedule)
{
    size_t length = schedule->length ? schedule->length : 1;
    struct summand__step *steps = schedule->failed || schedule->capacity <= length
                                      ? NULL
                                      : realloc(schedule->steps, length * sizeof *steps);
    if (steps) {
        schedule->steps = steps;
        schedule->capacity = length;
    }
}

struct summand__region summand__region(enum summand__place place, size_t first, size_t count)
{
    return (struct summand__region){place, first, count};
}

bool summand__regions_overlap(struct summand__region a, struct summand__region b)
{
    return a.place == b.place && a.count && b.count && a.first < b.first + b.count &&
           b.first < a.first + a.count;
}

static void need_scratch(struct summand__schedule *schedule, struct summand__region region)
{
    if (region.place == SUMMAND__SCRATCH && region.first + region.count > schedule->scratch)
        schedule->scratch = region.first + region.count;
}

struct summand__step *summand__append(struct summand__schedule *schedule,
                                      enum summand__action action, int peer)
{
    static _Thread_local struct summand__step nowhere;
    if (schedule->length == schedule->capacity && !schedule->failed) {
        size_t capacity = schedule->capacity ? 2 * schedule->capacity : FIRST_STEPS;
        struct summand__step *steps = realloc(schedule->steps, capacity * sizeof *steps);
        schedule->failed = !steps;
        if (steps) {
            schedule->steps = steps;
            schedule->capacity = capacity;
        }
    }
    struct summand__step *step = schedule->failed ? &nowhere : &schedule->steps[schedule->length++];
    *step = (struct summand__step){.action = (uint8_t)action, .peer = peer};
    return step;
}

static struct summand__step *append_message(struct summand__schedule *schedule,
                                            enum summand__action action, int peer, unsigned lag)
{
    struct summand__step *step = summand__append(schedule, action, peer);
    step->lag = (uint8_t)lag;
    if (summand__is_message(step) && lag + 1 > schedule->lagging)
        schedule->lagging = lag + 1;
    if (lag > SUMMAND__MOST_LAG)
        schedule->failed = true;
    return step;
}

struct summand__step *summand__append_step(struct summand__schedule *schedule,
                                           const struct summand__step *step)
{
    struct summand__step *to =
        append_message(schedule, (enum summand__action)step->action, step->peer, step->lag);
    *to = *step;
    return to;
}

void summand__need_scratch(struct summand__schedule *schedule, const struct summand__step *step)
{
    need_scratch(schedule, step->from);
    need_scratch(schedule, step->with);
    need_scratch(schedule, step->to);
}

void summand__send_late(struct summand__schedule *schedule, int peer, struct summand__region from,
                        unsigned lag)
{
    if (!from.count)
        return;
    append_message(schedule, SUMMAND__SEND, peer, lag)->from = from;
    need_scratch(schedule, from);
}

void summand__recv_late(struct summand__schedule *schedule, int peer, struct summand__region to,
                        unsigned lag)
{
    if (!to.count)
        return;
    append_message(schedule, SUMMAND__RECV, peer, lag)->to = to;
    need_scratch(schedule, to);
}

void summand__send(struct summand__schedule *schedule, int peer, struct summand__region from)
{
    summand__send_late(schedule, peer, from, 0);
}

void summand__recv(struct summand__schedule *schedule, int peer, struct summand__region to)
{
    summand__recv_late(schedule, peer, to, 0);
}

void summand__multicast(struct summand__schedule *schedule, int peer, struct summand__region from)
{
    if (!from.count)
        return;
    struct summand__step *step = append_message(schedule, SUMMAND__SEND, peer, 0);
    step->flags = SUMMAND__STEP_MULTICAST;
    step->from = from;
    need_scratch(schedule, from);
}

void summand__recv_multicast(struct summand__schedule *schedule, int peer,
                             struct summand__region to)
{
    if (!to.count)
        return;
    struct summand__step *step = append_message(schedule, SUMMAND__RECV, peer, 0);
    step->flags = SUMMAND__STEP_MULTICAST;
    step->to = to;
    need_scratch(schedule, to);
}

static void append_local(struct summand__schedule *schedule, enum summand__action action,
                         struct summand__region from, struct summand__region to)
{
    struct summand__step *step = summand__append(schedule, action, -1);
    step->from = from;
    step->to = to;
    need_scratch(schedule, from);
    need_scratch(schedule, to);
}

void summand__reduce(struct summand__schedule *schedule, struct summand__region from,
                     struct summand__region to)
{
    if (to.count)
        append_local(schedule, SUMMAND__REDUCE, from, to);
}

void summand__copy(struct summand__schedule *schedule, struct summand__region from,
                   struct summand__region to)
{
    if (to.count && (from.place != to.place || from.first != to.first))
        append_local(schedule, SUMMAND__COPY, from, to);
}

void summand__round(struct summand__schedule *schedule)
{
    bool empty =
        !schedule->length || schedule->steps[schedule->length - 1].action == SUMMAND__ROUND;
    if (empty && !schedule->lagging)
        return;
    summand__append(schedule, SUMMAND__ROUND, -1);
    schedule->lagging -= schedule->lagging > 0;
}

void summand__drain(struct summand__schedule *schedule)
{
    do {
        summand__round(schedule);
    } while (schedule->lagging && !schedule->failed);
}

unsigned summand__schedule_lag(const struct summand__schedule *schedule)
{
    unsigned most = 0;
    for (size_t i = 0; i < schedule->length; i++)
        if (schedule->steps[i].lag > most)
            most = schedule->steps[i].lag;
    return most;
}

/* The most messages in 2 * lag + 1 consecutive rounds: these may be incomplete at the same time. */
size_t summand__schedule_width(const struct summand__schedule *schedule)
{
    size_t width = 0, messages = 0, begin = 0;
    unsigned rounds = 1, most = 2 * summand__schedule_lag(schedule) + 1;
    for (size_t i = 0; i < schedule->length; i++) {
        rounds += schedule->steps[i].action == SUMMAND__ROUND;
        messages += summand__is_message(&schedule->steps[i]);
        for (; rounds > most; begin++) {
            rounds -= schedule->steps[begin].action == SUMMAND__ROUND;
            messages -= summand__is_message(&schedule->steps[begin]);
        }
        if (messages > width)
            width = messages;
    }
    return width;
}

bool summand__reads(const struct summand__step *step, struct summand__region region)
{
    return (!summand__receives(step) && summand__regions_overlap(step->from, region)) ||
           summand__regions_overlap(step->with, region) ||
           ((step->action == SUMMAND__REDUCE || step->action == SUMMAND__COMPUTE) &&
            summand__regions_overlap(step->to, region));
}

const char *summand__action_name(enum summand__action action)
{
    return action < SUMMAND__ACTIONS ? action_names[action] : "no step";
}
