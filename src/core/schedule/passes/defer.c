/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "schedule/passes/passes.h"

struct deferring {
    const struct summand__schedule *schedule;
    const struct summand__abilities *abilities;
    struct summand__step *steps; /* the output */
    size_t length;
    size_t begin[SUMMAND__GROUPS]; /* first steps of the last rounds, by round modulo
                                      SUMMAND__GROUPS */
    bool defers[SUMMAND__GROUPS];  /* true if any receive of that round is deferred */
    size_t rounds;
};

static bool is_deferred(const struct deferring *deferring, const struct summand__step *step)
{
    return step->action == SUMMAND__RECV && step->lag &&
           deferring->abilities->combines(deferring->abilities->context, step->peer);
}

/* Appends the receives of the round `ago` rounds back that are due in the current one. */
static void take_over(struct deferring *deferring, unsigned ago)
{
    const struct summand__step *step =
        &deferring->schedule
             ->steps[deferring->begin[(deferring->rounds - 1 - ago) % SUMMAND__GROUPS]];
    for (; step->action != SUMMAND__ROUND; step++)
        if (step->lag == ago && is_deferred(deferring, step)) {
            deferring->steps[deferring->length] = *step;
            deferring->steps[deferring->length++].lag = 0;
        }
}

static void begin_round(struct deferring *deferring, size_t begin)
{
    size_t now = deferring->rounds++ % SUMMAND__GROUPS;
    deferring->begin[now] = begin;
    deferring->defers[now] = false;
    for (unsigned ago = SUMMAND__MOST_LAG; ago > 0; ago--)
        if (deferring->defers[(now + SUMMAND__GROUPS - ago) % SUMMAND__GROUPS])
            take_over(deferring, ago);
}

bool summand__defer(struct summand__schedule *schedule, const struct summand__abilities *abilities)
{
    struct deferring deferring = {.schedule = schedule, .abilities = abilities};
    size_t first = 0;
    while (first < schedule->length && !is_deferred(&deferring, &schedule->steps[first]))
        first++;
    if (first == schedule->length)
        return true;
    deferring.steps = malloc(schedule->length * sizeof *deferring.steps);
    if (!deferring.steps)
        return false;
    for (size_t i = 0; i < schedule->length; i++) {
        const struct summand__step *step = &schedule->steps[i];
        if (!i || step[-1].action == SUMMAND__ROUND)
            begin_round(&deferring, i);
        if (is_deferred(&deferring, step))
            deferring.defers[(deferring.rounds - 1) % SUMMAND__GROUPS] = true;
        else
            deferring.steps[deferring.length++] = *step;
    }
    free(schedule->steps);
    schedule->steps = deferring.steps;
    schedule->capacity = schedule->length;
    schedule->length = deferring.length;
    return true;
}
