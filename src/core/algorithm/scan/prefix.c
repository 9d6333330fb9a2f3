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
    const bool replaced = call->rank && input.place == SUMMAND__RECVBUF;
    if (!summand__is_exclusive(call) || !replaced || call->rank == call->ranks - 1)
        return input;
    struct summand__region kept = summand__prefix_room(schedule, call->count);
    summand__copy(schedule, input, kept);
    summand__round(schedule);
    return kept;
}
