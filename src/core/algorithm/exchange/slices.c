/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/exchange/slices.h"

#include "algorithm/estimate.h"
#include "algorithm/exchange/accumulator.h"

static struct summand__region slice_at_root(const struct summand__call *call, int rank)
{
    struct summand__block slice = summand__call_slice(call, rank);
    return summand__region(SUMMAND__RECVBUF, slice.first, slice.count);
}

void summand__slices_collect(const struct summand__call *call, struct summand__region own,
                             struct summand__schedule *schedule)
{
    summand__round(schedule);
    if (call->rank != call->root) {
        summand__send(schedule, call->root, own);
        summand__round(schedule);
        return;
    }
    for (int rank = 0; rank < call->ranks; rank++)
        if (rank != call->root)
            summand__recv(schedule, rank, slice_at_root(call, rank));
    summand__copy(schedule, own, slice_at_root(call, call->root));
    summand__round(schedule);
}

void summand__slices_cost(const struct summand__call *call, struct summand__cost *cost)
{
    size_t own = summand__call_slice(call, call->root).count, slices = summand__call_slices(call);
    cost->depth_at_most = cost->depth_at_most || slices < (size_t)call->ranks;
    cost->messages += slices - (own > 0);
    cost->elements += summand__call_total(call) - own;
    cost->depth += call->ranks > 1;
}

double summand__slices_time(const struct summand__model *model, const struct summand__call *call,
                            size_t element)
{
    double bytes = (double)(call->count * element), ranks = call->ranks;
    double slices = (double)call->count < ranks ? (double)call->count : ranks;
    double near = ranks < model->per_node ? ranks : model->per_node;
    struct summand__burst burst = {.reach = summand__reach_of(model, call->ranks),
                                   .sends = 1,
                                   .receives = slices,
                                   .queue = slices > near ? slices - near : slices,
                                   .bytes = slices > 0 ? bytes / slices : 0};
    return ranks > 1 && slices > 0 ? summand__burst_time(model, &burst) : 0;
}
