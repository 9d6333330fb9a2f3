#include "schedule/lean.h"

#include <stdlib.h>

static size_t elements_of(const struct summand__step *step)
{
    return step->action == SUMMAND__SEND ? step->from.count : step->to.count;
}

enum summand__lean_outcome summand__lean_make(const struct summand__schedule *schedule,
                                              struct summand__lean *lean)
{
    *lean = (struct summand__lean){0};
    size_t length = 0;
    for (size_t i = 0; i < schedule->length; i++)
        length += schedule->steps[i].action != SUMMAND__ROUND;
    if (length > UINT32_MAX)
        return SUMMAND__LEAN_TOO_LONG;
    lean->steps = malloc((length + !length) * sizeof *lean->steps);
    if (!lean->steps)
        return SUMMAND__LEAN_NO_MEMORY;
    for (size_t i = 0; i < schedule->length; i++) {
        const struct summand__step *step = &schedule->steps[i];
        size_t elements = elements_of(step);
        if (step->action == SUMMAND__ROUND) {
            if (lean->length && lean->steps[lean->length - 1].ends < SUMMAND__GROUPS)
                lean->steps[lean->length - 1].ends++;
            continue;
        }
        if (elements > UINT32_MAX) {
            summand__lean_free(lean);
            return SUMMAND__LEAN_TOO_LONG;
        }
        lean->steps[lean->length++] = (struct summand__lean_step){
            .action = (uint32_t)step->action,
            .lag = step->lag & 7,
            .peer = step->peer < 0 ? 0 : (uint32_t)step->peer & 0xffffff,
            .elements = (uint32_t)elements};
    }
    if (lean->length && !lean->steps[lean->length - 1].ends)
        lean->steps[lean->length - 1].ends = 1;
    return SUMMAND__LEAN_MADE;
}

void summand__lean_free(struct summand__lean *lean)
{
    free(lean->steps);
    *lean = (struct summand__lean){0};
}
