/* SPDX-License-Identifier: BSD-3-Clause */
/* What a step touches while its round runs, and which touches clash. */
#pragma once

#include "lab/verify/play.h"

enum summand__touch {
    SUMMAND__MESSAGE_WRITES = 1,
    SUMMAND__MESSAGE_READS = 2,
    SUMMAND__STEP_WRITES = 4,
    SUMMAND__STEP_READS = 8,
    SUMMAND__COMBINE_WRITES = 16, /* results of combining with a message, behind all local steps */
    SUMMAND__COMBINE_READS = 32,
    SUMMAND__RESULT_READS = 64 /* a send reads a result before the next combine into it */
};

/* By touch: the touches that clash with it. */
extern const unsigned char summand__clashes[];

struct summand__touched {
    struct summand__region region;
    enum summand__touch touch;
};
enum { SUMMAND__MOST_TOUCHED = 3 };

/* The steps of a round, and whether a receive of them combines. */
struct summand__round_steps {
    size_t begin, end;
    bool combines;
};

struct summand__round_steps summand__round_from(const struct summand__schedule *schedule,
                                                size_t begin);

/* Lists what step i of the round touches; returns the number of regions. An operand or result of a
 * receive that combines may be an earlier one's result; then only the earlier one lists it. Cost:
 * in a round that combines, linear in its steps. */
int summand__touches(const struct summand__play *play, int rank,
                     const struct summand__round_steps *round, size_t i,
                     struct summand__touched *touched);

/* The same for a send, a receive, a reduce or a copy in a round that does not combine. */
static inline int summand__touches_plain(const struct summand__step *step,
                                         struct summand__touched *touched)
{
    bool message = summand__is_message(step);
    int count = 0;
    if (step->from.count)
        touched[count++] = (struct summand__touched){step->from, message ? SUMMAND__MESSAGE_READS
                                                                         : SUMMAND__STEP_READS};
    if (step->to.count)
        touched[count++] = (struct summand__touched){step->to, message ? SUMMAND__MESSAGE_WRITES
                                                                       : SUMMAND__STEP_WRITES};
    return count;
}

/* True if messages of one rank are combined on arrival at the other. */
static inline bool summand__is_near(const struct summand__play *play, int a, int b)
{
    return play->node && play->node[a] == play->node[b];
}
