/* SPDX-License-Identifier: BSD-3-Clause */
#include "wait/awaited.h"

#include "wait/channel.h"

void summand__watch_each(const struct summand__watch *watch, summand__each_rank *each,
                         void *context)
{
    if (watch->awaited)
        watch->awaited(watch->of, each, context);
    for (int rank = 0; !watch->awaited && rank < watch->channel->ranks; rank++)
        if (rank != watch->channel->rank)
            each(context, rank);
}

/* A hash of the calls that ranks have entered. */
struct sum {
    const struct summand__channel *channel;
    uint64_t sum;
};

static void add_place(void *context, int rank)
{
    struct sum *sum = context;
    const struct summand__presence *presence = summand__channel_presence(sum->channel, rank);
    if (presence)
        sum->sum += atomic_load(&presence->entered) * (2 * (uint64_t)rank + 1);
}

uint64_t summand__watch_seen(const struct summand__watch *watch)
{
    struct sum sum = {.channel = watch->channel};
    summand__watch_each(watch, add_place, &sum);
    return sum.sum;
}
