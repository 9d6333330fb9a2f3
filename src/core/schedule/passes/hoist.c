/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "schedule/passes/passes.h"

/* The end of the round that begins there, and whether a message comes after another step of it. */
static size_t find_end(const struct summand__schedule *schedule, size_t begin, bool *behind)
{
    size_t i = begin;
    bool others = false;
    for (*behind = false; i < schedule->length; i++) {
        const struct summand__step *step = &schedule->steps[i];
        if (step->action == SUMMAND__ROUND)
            break;
        bool message = summand__is_message(step);
        *behind = *behind || (message && others);
        others = others || !message;
    }
    return i;
}

static void put_first(struct summand__step *steps, size_t count, struct summand__step *room)
{
    size_t messages = 0, others = 0;
    for (size_t i = 0; i < count; i++)
        if (summand__is_message(&steps[i]))
            steps[messages++] = steps[i];
        else
            room[others++] = steps[i];
    memcpy(steps + messages, room, others * sizeof *steps);
}

bool summand__hoist(struct summand__schedule *schedule)
{
    struct summand__step *room = NULL;
    bool behind;
    for (size_t begin = 0, end; begin < schedule->length; begin = end + 1) {
        end = find_end(schedule, begin, &behind);
        if (!behind)
            continue;
        if (!room && !(room = malloc(schedule->length * sizeof *room)))
            return false;
        put_first(schedule->steps + begin, end - begin, room);
    }
    free(room);
    return true;
}

static bool may_wait(const struct summand__step *step, const struct summand__abilities *abilities)
{
    return summand__receives(step) && abilities->combines(abilities->context, step->peer);
}

/* The number of messages of the round that begins there. `waiting`: the receives that may wait, if
 * any sends come after them; else 0. A multicast is recognized by its adjacent sends, so a round
 * with one stays as it is. */
static size_t find_messages(const struct summand__schedule *schedule, size_t begin,
                            const struct summand__abilities *abilities, size_t *waiting)
{
    size_t i = begin;
    bool behind = false, to_all = false;
    for (*waiting = 0; i < schedule->length && summand__is_message(&schedule->steps[i]); i++) {
        bool waits = may_wait(&schedule->steps[i], abilities);
        behind = behind || (!waits && *waiting);
        *waiting += waits;
        to_all = to_all || summand__is_multicast(&schedule->steps[i]);
    }
    if (!behind || to_all)
        *waiting = 0;
    return i - begin;
}

bool summand__sends_first(struct summand__schedule *schedule,
                          const struct summand__abilities *abilities)
{
    struct summand__step *room = NULL, *steps = schedule->steps;
    for (size_t begin = 0; begin < schedule->length; begin++) {
        size_t waiting, count = find_messages(schedule, begin, abilities, &waiting), kept = 0,
                        put = 0;
        if (waiting && !room && !(room = malloc(schedule->length * sizeof *room)))
            return false;
        for (size_t i = 0; waiting && i < count; i++)
            if (may_wait(&steps[begin + i], abilities))
                room[put++] = steps[begin + i];
            else
                steps[begin + kept++] = steps[begin + i];
        if (put)
            memcpy(steps + begin + kept, room, put * sizeof *steps);
        begin += count;
        while (begin < schedule->length && steps[begin].action != SUMMAND__ROUND)
            begin++;
    }
    free(room);
    return true;
}
