#include "schedule/passes/defer.h"

#include <stdlib.h>
#include <string.h>

/* First steps of the last rounds. */
struct rounds {
    size_t begin[SUMMAND__GROUPS];
    size_t count;
};

static bool is_deferred(const struct summand__step *step,
                        bool (*may)(const void *context, int peer), const void *context)
{
    return step->action == SUMMAND__RECV && step->lag && may(context, step->peer);
}

/* What is due of the round `ago` rounds before the current one. */
static void take_over(const struct summand__schedule *schedule, const struct rounds *rounds,
                      unsigned ago, bool (*may)(const void *context, int peer), const void *context,
                      struct summand__schedule *deferred)
{
    size_t i = rounds->begin[(rounds->count - 1 - ago) % SUMMAND__GROUPS];
    for (; schedule->steps[i].action != SUMMAND__ROUND; i++)
        if (schedule->steps[i].lag == ago && is_deferred(&schedule->steps[i], may, context)) {
            struct summand__step *step = &deferred->steps[deferred->length++];
            *step = schedule->steps[i];
            step->lag = 0;
        }
}

static void begin_round(const struct summand__schedule *schedule, size_t begin,
                        struct rounds *rounds, bool (*may)(const void *context, int peer),
                        const void *context, struct summand__schedule *deferred)
{
    rounds->begin[rounds->count++ % SUMMAND__GROUPS] = begin;
    for (unsigned ago = SUMMAND__MOST_LAG; ago > 0; ago--)
        if (rounds->count > ago)
            take_over(schedule, rounds, ago, may, context, deferred);
}

void summand__defer(const struct summand__schedule *schedule,
                    bool (*may)(const void *context, int peer), const void *context,
                    struct summand__schedule *deferred)
{
    struct rounds rounds = {.count = 0};
    *deferred = *schedule;
    deferred->length = 0;
    deferred->capacity = schedule->length;
    deferred->steps = malloc((schedule->length + 1) * sizeof *deferred->steps);
    deferred->failed = !deferred->steps;
    for (size_t i = 0; i < schedule->length && !deferred->failed; i++) {
        const struct summand__step *step = &schedule->steps[i];
        if (!i || step[-1].action == SUMMAND__ROUND)
            begin_round(schedule, i, &rounds, may, context, deferred);
        if (!is_deferred(step, may, context))
            deferred->steps[deferred->length++] = *step;
    }
}
