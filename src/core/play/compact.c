/* SPDX-License-Identifier: BSD-3-Clause */
#include "play/compact.h"

#include <stdlib.h>

static size_t elements_of(const struct summand__step *step)
{
    return step->action == SUMMAND__SEND ? step->from.count : step->to.count;
}

static struct summand__compact_step step_of(const struct summand__step *step, unsigned action)
{
    return (struct summand__compact_step){.action = action & 15,
                                          .lag = step->lag & 7,
                                          .peer =
                                              step->peer < 0 ? 0 : (uint32_t)step->peer & 0x3fffff,
                                          .elements = (uint32_t)elements_of(step)};
}

/* Ends the round [begin, end). */
static void end_round(const struct summand__schedule *schedule, size_t begin, size_t end,
                      struct summand__compact *compact)
{
    if (compact->length && compact->steps[compact->length - 1].ends < SUMMAND__GROUPS)
        compact->steps[compact->length - 1].ends++;
    for (size_t i = begin; i < end; i++)
        if (schedule->steps[i].action == SUMMAND__RECV_REDUCE)
            compact->steps[compact->length++] = step_of(&schedule->steps[i], SUMMAND__RECV_REDUCE);
}

enum summand__compact_outcome summand__compact_make(const struct summand__schedule *schedule,
                                                    struct summand__compact *compact)
{
    size_t begin = 0, most = 2 * schedule->length; /* receives that combine count twice */
    *compact = (struct summand__compact){0};
    if (most > UINT32_MAX)
        return SUMMAND__COMPACT_TOO_LONG;
    compact->steps = malloc((most + !most) * sizeof *compact->steps);
    if (!compact->steps)
        return SUMMAND__COMPACT_NO_MEMORY;
    for (size_t i = 0; i < schedule->length; i++) {
        const struct summand__step *step = &schedule->steps[i];
        if (step->action == SUMMAND__ROUND) {
            end_round(schedule, begin, i, compact);
            begin = i + 1;
            continue;
        }
        if (elements_of(step) > UINT32_MAX)
            return SUMMAND__COMPACT_TOO_LONG;
        compact->steps[compact->length++] =
            step_of(step, step->action == SUMMAND__RECV_REDUCE ? SUMMAND__RECV : step->action);
        if (!summand__is_message(step) && step->action != SUMMAND__REDUCE &&
            step->action != SUMMAND__COPY)
            compact->steps[compact->length - 1].elements = (uint32_t)i;
    }
    if (begin < schedule->length)
        end_round(schedule, begin, schedule->length, compact);
    if (compact->length && !compact->steps[compact->length - 1].ends)
        compact->steps[compact->length - 1].ends = 1;
    void *trimmed = realloc(compact->steps, (compact->length + 1) * sizeof *compact->steps);
    if (trimmed)
        compact->steps = trimmed;
    return SUMMAND__COMPACT_MADE;
}

void summand__compact_free(struct summand__compact *compact)
{
    free(compact->steps);
    *compact = (struct summand__compact){0};
}
