/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/call.h"

size_t summand__call_total(const struct summand__call *call)
{
    if (summand__has_offsets(call->collective))
        return call->offsets[call->ranks];
    return summand__has_blocks(call->collective) ? call->count * (size_t)call->ranks : call->count;
}

struct summand__block summand__call_block(const struct summand__call *call, int rank)
{
    if (!summand__has_offsets(call->collective))
        return (struct summand__block){call->count * (size_t)rank, call->count};
    return (struct summand__block){call->offsets[rank],
                                   call->offsets[rank + 1] - call->offsets[rank]};
}

struct summand__block summand__call_slice(const struct summand__call *call, int rank)
{
    if (summand__has_blocks(call->collective))
        return summand__call_block(call, rank);
    size_t first = summand__cut(call->count, (size_t)rank, (size_t)call->ranks);
    size_t last = summand__cut(call->count, (size_t)rank + 1, (size_t)call->ranks);
    return (struct summand__block){first, last - first};
}

size_t summand__call_slices(const struct summand__call *call)
{
    size_t ranks = (size_t)call->ranks, slices = 0;
    if (!summand__has_blocks(call->collective))
        return call->count < ranks ? call->count : ranks;
    if (!summand__has_offsets(call->collective))
        return call->count ? ranks : 0;
    for (int rank = 0; rank < call->ranks; rank++)
        slices += summand__call_block(call, rank).count > 0;
    return slices;
}

bool summand__call_result(const struct summand__call *call, int rank)
{
    return call->collective == SUMMAND__COLL_EXSCAN
               ? rank > 0
               : call->collective != SUMMAND__COLL_REDUCE || rank == call->root;
}

bool summand__call_in_place(const struct summand__call *call, int rank)
{
    return call->in_place && (call->collective != SUMMAND__COLL_REDUCE || rank == call->root);
}

int summand__call_contributing(const struct summand__call *call)
{
    if (!summand__is_prefix(call->collective))
        return call->ranks;
    return call->collective == SUMMAND__COLL_SCAN ? call->rank + 1 : call->rank;
}

struct summand__region summand__call_input(const struct summand__call *call)
{
    size_t total = summand__call_total(call);
    if (call->collective == SUMMAND__COLL_BCAST)
        return summand__region(SUMMAND__RECVBUF, 0, call->rank == call->root ? total : 0);
    bool in_place = summand__call_in_place(call, call->rank);
    enum summand__place place = in_place ? SUMMAND__RECVBUF : SUMMAND__SENDBUF;
    if (!summand__gathers(call->collective))
        return summand__region(place, 0, total);
    struct summand__block block = summand__call_block(call, call->rank);
    return summand__region(place, in_place ? block.first : 0, block.count);
}

struct summand__region summand__call_output(const struct summand__call *call)
{
    size_t count = summand__call_total(call);
    if (summand__has_blocks(call->collective) && !summand__gathers(call->collective))
        count = summand__call_block(call, call->rank).count;
    return summand__region(SUMMAND__RECVBUF, 0, summand__call_result(call, call->rank) ? count : 0);
}

size_t summand__cut(size_t total, size_t index, size_t parts)
{
    return total / parts * index + total % parts * index / parts;
}
