/* SPDX-License-Identifier: BSD-3-Clause */
#include "comm/wait/awaited.h"

#include "comm/state.h"

const struct summand__presence *summand__watch_presence(const struct summand__state *state,
                                                        int rank)
{
    const struct summand__segment *segment = state->segment;
    int local = segment && segment->lines ? summand__segment_rank(segment, rank) : -1;
    return local < 0 ? NULL : summand__segment_presence(segment, local);
}

void summand__watch_each(const struct summand__watch *watch, summand__each_rank *each,
                         void *context)
{
    if (watch->awaited)
        watch->awaited(watch->of, each, context);
    for (int rank = 0; !watch->awaited && rank < watch->state->ranks; rank++)
        if (rank != watch->state->rank)
            each(context, rank);
}

/* Where the ranks are. */
struct sum {
    const struct summand__state *state;
    uint64_t sum;
};

static void add_place(void *context, int rank)
{
    struct sum *sum = context;
    const struct summand__presence *presence = summand__watch_presence(sum->state, rank);
    if (presence)
        sum->sum += atomic_load(&presence->entered) * (2 * (uint64_t)rank + 1);
}

uint64_t summand__watch_seen(const struct summand__watch *watch)
{
    struct sum sum = {.state = watch->state};
    summand__watch_each(watch, add_place, &sum);
    return sum.sum;
}
