/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/scan/prefix.h"

struct summand__region summand__prefix_room(struct summand__schedule *schedule, size_t count)
{
    schedule->scratch += count;
    return summand__region(SUMMAND__SCRATCH, schedule->scratch - count, count);
}

struct summand__region summand__prefix_input(const struct summand__call *call,
                                             struct summand__schedule *schedule)
{
    struct summand__region input = summand__call_input(call);
    if (!summand__is_exclusive(call) || input.place != SUMMAND__RECVBUF || !call->rank)
        return input;
    struct summand__region kept = summand__prefix_room(schedule, call->count);
    summand__copy(schedule, input, kept);
    summand__round(schedule);
    return kept;
}
