/* SPDX-License-Identifier: BSD-3-Clause */
/* A schedule without its places, in 8 bytes per step, as the prediction needs it. A receive that
 * combines becomes a RECV here and a RECV_REDUCE at the begin of the next round, before its
 * messages. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "schedule/schedule.h"

_Static_assert(SUMMAND__ACTIONS <= 16, "an action has 4 bits");

struct summand__compact_step {
    uint32_t action : 4; /* of enum summand__action */
    uint32_t ends : 3; /* ends of rounds after the step; more than SUMMAND__GROUPS change nothing */
    uint32_t lag : 3;
    uint32_t peer : 22;
    uint32_t elements; /* of computations, puts, notifications and waits: the step's number */
};

struct summand__compact {
    struct summand__compact_step *steps;
    uint32_t length;
};

enum summand__compact_outcome {
    SUMMAND__COMPACT_MADE,
    SUMMAND__COMPACT_NO_MEMORY,
    SUMMAND__COMPACT_TOO_LONG /* 2^32 elements in a step, or steps in a schedule */
};

enum summand__compact_outcome summand__compact_make(const struct summand__schedule *schedule,
                                                    struct summand__compact *compact);
void summand__compact_free(struct summand__compact *compact);
