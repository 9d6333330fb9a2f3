#include "lab/simulate/compact.h"

#include <stdlib.h>

static size_t elements_of(const struct summand__step *step)
{
    return step->action == SUMMAND__SEND ? step->from.count : step->to.count;
}

enum summand__compact_outcome summand__compact_make(const struct summand__schedule *schedule,
                                                    struct summand__compact *compact)
{
    *compact = (struct summand__compact){0};
    size_t length = 0;
    for (size_t i = 0; i < schedule->length; i++)
        length += schedule->steps[i].action != SUMMAND__ROUND;
    if (length > UINT32_MAX)
        return SUMMAND__LEAN_TOO_LONG;
    compact->steps = malloc((length + !length) * sizeof *compact->steps);
    if (!compact->steps)
        return SUMMAND__LEAN_NO_MEMORY;
    for (size_t i = 0; i < schedule->length; i++) {
        const struct summand__step *step = &schedule->steps[i];
        size_t elements = summand__is_message(step) || step->action == SUMMAND__REDUCE ||
                                  step->action == SUMMAND__COPY
                              ? elements_of(step)
                              : i;
        if (step->action == SUMMAND__ROUND) {
            if (compact->length && compact->steps[compact->length - 1].ends < SUMMAND__GROUPS)
                compact->steps[compact->length - 1].ends++;
            continue;
        }
        if (elements > UINT32_MAX) {
            summand__compact_free(compact);
            return SUMMAND__LEAN_TOO_LONG;
        }
        compact->steps[compact->length++] = (struct summand__compact_step){
            .action = step->action & 15,
            .lag = step->lag & 7,
            .peer = step->peer < 0 ? 0 : (uint32_t)step->peer & 0x3fffff,
            .elements = (uint32_t)elements};
    }
    if (compact->length && !compact->steps[compact->length - 1].ends)
        compact->steps[compact->length - 1].ends = 1;
    return SUMMAND__LEAN_MADE;
}

void summand__compact_free(struct summand__compact *compact)
{
    free(compact->steps);
    *compact = (struct summand__compact){0};
}
