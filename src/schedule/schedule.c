#include "schedule/schedule.h"

#include <stdlib.h>

static const char *const action_names[SUMMAND__ACTIONS] = {"send", "recv", "reduce", "copy",
                                                           "round"};

void summand__schedule_init(struct summand__schedule *schedule)
{
    *schedule = (struct summand__schedule){0};
}

void summand__schedule_free(struct summand__schedule *schedule)
{
    free(schedule->steps);
    summand__schedule_init(schedule);
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

static void append(struct summand__schedule *schedule, struct summand__step step)
{
    if (schedule->failed)
        return;
    if (schedule->length == schedule->capacity) {
        size_t capacity = schedule->capacity ? 2 * schedule->capacity : 16;
        struct summand__step *steps = realloc(schedule->steps, capacity * sizeof *steps);
        if (!steps) {
            schedule->failed = true;
            return;
        }
        schedule->steps = steps;
        schedule->capacity = capacity;
    }
    need_scratch(schedule, step.from);
    need_scratch(schedule, step.to);
    schedule->steps[schedule->length++] = step;
}

void summand__send(struct summand__schedule *schedule, int peer, struct summand__region from)
{
    if (from.count)
        append(schedule,
               (struct summand__step){.action = SUMMAND__SEND, .peer = peer, .from = from});
}

void summand__recv(struct summand__schedule *schedule, int peer, struct summand__region to)
{
    if (to.count)
        append(schedule, (struct summand__step){.action = SUMMAND__RECV, .peer = peer, .to = to});
}

void summand__reduce(struct summand__schedule *schedule, struct summand__region from,
                     struct summand__region to)
{
    if (to.count)
        append(schedule, (struct summand__step){
                             .action = SUMMAND__REDUCE, .peer = -1, .from = from, .to = to});
}

void summand__copy(struct summand__schedule *schedule, struct summand__region from,
                   struct summand__region to)
{
    if (to.count && (from.place != to.place || from.first != to.first))
        append(schedule,
               (struct summand__step){.action = SUMMAND__COPY, .peer = -1, .from = from, .to = to});
}

void summand__round(struct summand__schedule *schedule)
{
    if (schedule->length && schedule->steps[schedule->length - 1].action != SUMMAND__ROUND)
        append(schedule, (struct summand__step){.action = SUMMAND__ROUND, .peer = -1});
}

size_t summand__schedule_width(const struct summand__schedule *schedule)
{
    size_t width = 0, messages = 0;
    for (size_t i = 0; i < schedule->length; i++) {
        enum summand__action action = schedule->steps[i].action;
        if (action == SUMMAND__ROUND)
            messages = 0;
        else if (action == SUMMAND__SEND || action == SUMMAND__RECV)
            messages++;
        if (messages > width)
            width = messages;
    }
    return width;
}

const char *summand__action_name(enum summand__action action)
{
    return action_names[action];
}
