/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/exchange/accumulator.h"

struct summand__accumulator summand__accumulator_start(const struct summand__call *call, bool keep,
                                                       int moves)
{
    size_t n = call->count;
    struct summand__region a = summand__region(SUMMAND__SCRATCH, 0, n);
    struct summand__region b =
        keep ? summand__region(SUMMAND__RECVBUF, 0, n) : summand__region(SUMMAND__SCRATCH, n, n);
    struct summand__accumulator accumulator = {.value = summand__region(SUMMAND__SENDBUF, 0, n)};
    if (call->in_place && keep) {
        accumulator.value = b;
        accumulator.spare = a;
        return accumulator;
    }
    accumulator.spare = moves % 2 ? b : a;
    accumulator.other = moves % 2 ? a : b;
    return accumulator;
}

static bool is_input(struct summand__region region)
{
    return region.place == SUMMAND__SENDBUF;
}

struct summand__region summand__part(struct summand__region region, size_t first, size_t count)
{
    return summand__region(region.place, region.first + first, count);
}

struct summand__region summand__accumulator_into(const struct summand__accumulator *accumulator,
                                                 struct summand__schedule *schedule, bool higher,
                                                 size_t first, size_t count)
{
    if (higher || !is_input(accumulator->value))
        return accumulator->spare;
    /* The copy goes to the target of a move, the operand to the other buffer. */
    summand__copy(schedule, summand__part(accumulator->value, first, count),
                  summand__part(accumulator->spare, first, count));
    return accumulator->other;
}

void summand__accumulator_fold_part(struct summand__accumulator *accumulator,
                                    struct summand__schedule *schedule, bool higher, size_t first,
                                    size_t count)
{
    struct summand__region value = accumulator->value, spare = accumulator->spare;
    summand__round(schedule);
    if (higher) {
        summand__reduce(schedule, summand__part(value, first, count),
                        summand__part(spare, first, count));
        accumulator->value = spare;
        accumulator->spare = is_input(value) ? accumulator->other : value;
    } else if (is_input(value)) {
        summand__reduce(schedule, summand__part(accumulator->other, first, count),
                        summand__part(spare, first, count));
        accumulator->value = spare;
        accumulator->spare = accumulator->other;
    } else {
        summand__reduce(schedule, summand__part(spare, first, count),
                        summand__part(value, first, count));
    }
    summand__round(schedule);
}

void summand__accumulator_recv(struct summand__accumulator *accumulator,
                               struct summand__schedule *schedule, int peer, bool higher)
{
    summand__recv(
        schedule, peer,
        summand__accumulator_into(accumulator, schedule, higher, 0, accumulator->value.count));
}

void summand__accumulator_fold(struct summand__accumulator *accumulator,
                               struct summand__schedule *schedule, bool higher)
{
    summand__accumulator_fold_part(accumulator, schedule, higher, 0, accumulator->value.count);
}

void summand__accumulator_finish(struct summand__accumulator *accumulator,
                                 struct summand__schedule *schedule)
{
    summand__round(schedule);
    summand__copy(schedule, accumulator->value,
                  summand__region(SUMMAND__RECVBUF, 0, accumulator->value.count));
}
