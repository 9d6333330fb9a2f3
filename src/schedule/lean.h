/* A schedule without its places: what the prediction needs of it, in 8 bytes per step. */
#ifndef SUMMAND_SCHEDULE_LEAN_H
#define SUMMAND_SCHEDULE_LEAN_H

#include <stdbool.h>
#include <stdint.h>

#include "schedule/schedule.h"

struct summand__lean_step {
    uint32_t action : 2; /* SUMMAND__SEND .. SUMMAND__COPY */
    uint32_t ends : 3;   /* ends of rounds behind it; more than these let nothing more end */
    uint32_t lag : 3;
    uint32_t peer : 24;
    uint32_t elements;
};

struct summand__lean {
    struct summand__lean_step *steps;
    uint32_t length;
};

enum summand__lean_outcome {
    SUMMAND__LEAN_MADE,
    SUMMAND__LEAN_NO_MEMORY,
    SUMMAND__LEAN_TOO_LONG /* 2^32 elements in a step, or steps in a schedule */
};

enum summand__lean_outcome summand__lean_make(const struct summand__schedule *schedule,
                                              struct summand__lean *lean);
void summand__lean_free(struct summand__lean *lean);

#endif
