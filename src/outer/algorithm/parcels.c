/* SPDX-License-Identifier: BSD-3-Clause */
#include "outer/algorithm/parcels.h"
#include "compute/kernels.h"

static size_t parcel(const struct summand__call *call, int from, int to)
{
    return call->outer->parcel[(size_t)from * (size_t)call->ranks + (size_t)to];
}

/* Elements that this rank sends to the ranks before one. */
static size_t sent_before(const struct summand__call *call, int rank)
{
    size_t before = 0;
    for (int r = 0; r < rank; r++)
        before += parcel(call, call->rank, r);
    return before;
}

void summand__outer_build_parcels(const struct summand__call *call,
                                  struct summand__schedule *schedule)
{
    const uint32_t from = summand__outer_place(0, SUMMAND__OUTER_A);
    const uint32_t to = summand__outer_place(0, SUMMAND__OUTER_G);
    const int own = call->rank;
    const size_t kept = parcel(call, own, own);
    summand__outer_begin(call, schedule);
    summand__round(schedule);
    for (int distance = 1; distance < call->ranks; distance++) {
        const int next = (own + distance) % call->ranks;
        const int before = (own + call->ranks - distance) % call->ranks;
        summand__recv(schedule, before,
                      summand__region((enum summand__place)to,
                                      summand__outer_parcels_before(call, before),
                                      parcel(call, before, own)));
        summand__send(schedule, next,
                      summand__region((enum summand__place)from, sent_before(call, next),
                                      parcel(call, own, next)));
    }
    if (kept)
        summand__compute(
            schedule, summand__kernel_named("pack"),
            summand__tile(from, sent_before(call, own), 1, kept, kept), (struct summand__tile){0},
            summand__tile(to, summand__outer_parcels_before(call, own), 1, kept, kept), false);
    summand__round(schedule);
}

struct summand__cost summand__outer_parcels_cost(const struct summand__call *call)
{
    struct summand__cost cost = {.depth = 0};
    for (int from = 0; from < call->ranks; from++)
        for (int to = 0; to < call->ranks; to++) {
            const size_t elements = parcel(call, from, to);
            if (from == to || !elements)
                continue;
            cost.messages++;
            cost.elements += elements;
            cost.depth = 1;
        }
    return cost;
}
