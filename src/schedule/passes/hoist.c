#include <stdlib.h>
#include <string.h>

#include "schedule/passes/passes.h"

/* The end of the round that begins there, and whether a message stands behind another step of it.
 */
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
