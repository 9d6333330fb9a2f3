/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/regroup.h"

#include <limits.h>

#include "algorithm/call.h"
#include "algorithm/displs.h"
#include "algorithm/exchange/accumulator.h"
#include "base/extreme.h"
#include "schedule/embed.h"

bool summand__regroups(const struct summand__algorithm *algorithm, const struct summand__call *call)
{
    const unsigned canonical = algorithm->promises & SUMMAND__CANONICAL;
    return call->grouping && call->grouping->member &&
           !summand__keeps_order(call->collective, canonical);
}

/* Translates the call from ranks to places; false when out of memory. Blocks are numbered by places
 * too. */
static bool open_places(const struct summand__call *call, struct summand__call *placed,
                        struct summand__displs *offsets)
{
    const struct summand__grouping *grouping = call->grouping;
    *placed = *call;
    placed->rank = grouping->place[call->rank];
    placed->root = grouping->place[call->root];
    if (!summand__has_offsets(call->collective))
        return true;
    summand__displs_open(offsets, call->ranks);
    if (!offsets->at)
        return false;
    offsets->at[0] = 0;
    for (int place = 0; place < call->ranks; place++)
        offsets->at[place + 1] =
            offsets->at[place] + summand__call_block(call, grouping->member[place]).count;
    placed->offsets = offsets->at;
    return true;
}

static void close_places(const struct summand__call *call, struct summand__displs *offsets)
{
    if (summand__has_offsets(call->collective))
        summand__displs_close(offsets);
}

/* Copies blocks between rank order (`straight`) and the order of places. `own`: the rank's own
 * block too. */
static void reorder(const struct summand__call *call, const struct summand__call *placed,
                    struct summand__region straight, struct summand__region sorted, bool back,
                    bool own, struct summand__schedule *schedule)
{
    summand__round(schedule);
    for (int place = 0; place < call->ranks; place++) {
        int rank = call->grouping->member[place];
        struct summand__block block = summand__call_block(call, rank);
        struct summand__region a = summand__part(straight, block.first, block.count);
        struct summand__region b =
            summand__part(sorted, summand__call_block(placed, place).first, block.count);
        if (own || rank != call->rank)
            summand__copy(schedule, back ? b : a, back ? a : b);
    }
    summand__round(schedule);
}

static void set_place(struct summand__embedding *embedding, enum summand__place place,
                      struct summand__region at)
{
    embedding->at[place].place = at.place;
    embedding->at[place].first = at.first;
}

/* Whole vectors stay in place. Blocks move through scratch in the order of places. */
static void embed_places(const struct summand__algorithm *algorithm,
                         const struct summand__call *call, struct summand__call *placed,
                         struct summand__schedule *schedule)
{
    struct summand__schedule own;
    struct summand__region input = summand__call_input(call), output = summand__call_output(call);
    struct summand__region sorted = {.place = SUMMAND__SCRATCH};
    struct summand__embedding embedding = {.member = call->grouping->member, .all = true};
    bool blocks = summand__has_blocks(call->collective);
    bool scatters = blocks && summand__has_operator(call->collective);
    bool in_place = call->in_place;
    set_place(&embedding, SUMMAND__SENDBUF, summand__region(SUMMAND__SENDBUF, 0, 0));
    set_place(&embedding, SUMMAND__RECVBUF, summand__region(SUMMAND__RECVBUF, 0, 0));
    if (blocks) {
        sorted = summand__region(SUMMAND__SCRATCH, 0, summand__call_total(call));
        schedule->scratch = sorted.count;
        placed->in_place = false;
        set_place(&embedding, SUMMAND__SENDBUF, scatters ? sorted : input);
        set_place(&embedding, SUMMAND__RECVBUF, scatters ? output : sorted);
    }
    embedding.at[SUMMAND__SCRATCH].place = SUMMAND__SCRATCH;
    embedding.at[SUMMAND__SCRATCH].first = schedule->scratch;
    summand__schedule_init(&own);
    algorithm->build[call->collective](algorithm, placed, &own);
    if (scatters)
        reorder(call, placed, input, sorted, false, true, schedule);
    summand__embed(schedule, &own, &embedding);
    if (blocks && !scatters)
        reorder(call, placed, output, sorted, true, !in_place, schedule);
    schedule->failed = schedule->failed || own.failed;
    summand__schedule_free(&own);
}

void summand__regroup_build(const struct summand__algorithm *algorithm,
                            const struct summand__call *call, struct summand__schedule *schedule)
{
    struct summand__call placed;
    struct summand__displs offsets;
    if (open_places(call, &placed, &offsets))
        embed_places(algorithm, call, &placed, schedule);
    else
        schedule->failed = true;
    close_places(call, &offsets);
}

struct summand__cost summand__regroup_cost(const struct summand__algorithm *algorithm,
                                           const struct summand__call *call, bool depth)
{
    struct summand__call placed;
    struct summand__displs offsets;
    struct summand__cost cost = {.unknown = true};
    if (open_places(call, &placed, &offsets))
        cost = algorithm->cost(algorithm, &placed, depth);
    close_places(call, &offsets);
    return cost;
}

/* Gives the call nodes that all have as many ranks as the largest, if the algorithm sees nodes. */
static void fill_nodes(const struct summand__algorithm *algorithm, struct summand__call *call,
                       const struct summand__grouping *grouping)
{
    size_t most = (size_t)grouping->most, full = most * (size_t)grouping->groups;
    size_t *leaders = &call->parameter[SUMMAND__LEADERS];
    if (grouping->first)
        call->uneven = grouping;
    if (!grouping->first || !algorithm->limits[SUMMAND__NODE_SIZE].most || full > INT_MAX)
        return;
    call->root = summand__group_at(grouping, call->root) * grouping->most;
    if (summand__has_blocks(call->collective) && *leaders > (size_t)grouping->least)
        *leaders = (size_t)grouping->least;
    call->ranks = (int)full;
}

/* No algorithm takes less: the bytes of the smallest node that lie elsewhere pass its card, if it
 * has one. */
static double least_time(const struct summand__call *call, const struct summand__grouping *nodes,
                         double total, const struct summand__model *model)
{
    double own = summand__has_blocks(call->collective) ? total / call->ranks * nodes->least : 0;
    return nodes->groups > 1 && nodes->sharing <= 1 && model->shared_card > 0
               ? (total - own) * model->level[SUMMAND__NETWORK].byte
               : 0;
}

double summand__regroup_estimate(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, size_t element,
                                 const struct summand__model *model)
{
    const struct summand__grouping *grouping = call->grouping;
    struct summand__call even = *call;
    bool blocks = summand__has_blocks(call->collective);
    bool sees = algorithm->limits[SUMMAND__NODE_SIZE].most || algorithm->tree.inside;
    size_t total = (blocks ? call->count * (size_t)call->ranks : call->count) * element;
    if (grouping->place)
        even.root = grouping->place[call->root];
    even.grouping = NULL;
    fill_nodes(algorithm, &even, grouping);
    struct summand__model mean = *model;
    if (grouping->first && !sees && algorithm->tree.shape) /* as many borders as there are nodes */
        mean.per_node = (call->ranks - 1) / grouping->groups + 1;
    double time = summand__larger(algorithm->estimate(algorithm, &even, element, &mean),
                                  least_time(call, grouping, (double)total, model));
    double copied = blocks && summand__regroups(algorithm, call) ? (double)total : 0;
    return time + copied * model->copy_byte;
}
