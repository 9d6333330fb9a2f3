/* SPDX-License-Identifier: BSD-3-Clause */
/* Bruck: an allgather of factors in few rounds. During each round a rank adds the pairs of the
 * rounds before.
 *
 * How: in round k a rank sends the factors of the first 2^k ranks that it has, its own first, to
 *   the rank 2^k before it, and receives as many from the rank 2^k behind it. So they come in the
 *   order of the ranks from its own on, modulo p, and are added up in that order.
 * When: for comparison. outer-gather waits for the factors of all ranks; this algorithm computes
 *   from the start, but makes a pass over the result in each round.
 * Cost: ceil(log2 p) messages from each rank, L (N + M) elements to each; ceil(log2 p) + 1 passes
 *   over N M elements.
 * Restrictions: each rank begins with its own pairs, so the order and the bits differ on each rank.
 *   Memory for L (N + M) elements; the result is G itself, not updated.
 * Source: "bruck-async" of Enderlin et al., "Distributed sum of outer products" (ETH); Bruck et al.
 *   (1997). */
#include "algorithm/estimate.h"
#include "base/extreme.h"
#include "outer/algorithm/overlap.h"

/* All pairs of `count` ranks from `first` on, modulo the number of ranks. */
static size_t pairs_from(const struct summand__call *call, int first, int count)
{
    const size_t *pairs = call->outer->pairs;
    int end = first + count, ranks = call->ranks;
    return end <= ranks ? pairs[end] - pairs[first]
                        : pairs[ranks] - pairs[first] + pairs[end - ranks];
}

static uint32_t pack_own(const struct summand__outer_build *build)
{
    const struct summand__outer_shape *shape = build->shape;
    uint32_t place = summand__add_place(build->schedule, SUMMAND__TEMPORARY, build->unit,
                                        shape->factors[build->call->ranks]);
    for (int l = 0; l < shape->layers; l++) {
        const struct summand__outer_layer *layer = &shape->layer[l];
        summand__outer_pack(build, l, SUMMAND__OUTER_A, 0, layer->rows, place, layer->at_a,
                            shape->width);
        if (!layer->symmetric)
            summand__outer_pack(build, l, SUMMAND__OUTER_B, 0, layer->columns, place, layer->at_b,
                                shape->width);
    }
    return place;
}

static void exchange(const struct summand__outer_build *build, uint32_t place, int distance)
{
    const struct summand__call *call = build->call;
    int count = summand__lesser(distance, call->ranks - distance), ranks = call->ranks;
    int to = (call->rank + ranks - distance) % ranks, from = (call->rank + distance) % ranks;
    size_t width = build->shape->width;
    size_t sent = pairs_from(call, call->rank, count) * width;
    size_t there = pairs_from(call, call->rank, distance) * width;
    size_t more = pairs_from(call, from, count) * width;
    summand__recv(build->schedule, from, summand__region((enum summand__place)place, there, more));
    summand__send(build->schedule, to, summand__region((enum summand__place)place, 0, sent));
}

/* The pass over `count` ranks that follow the first `before` ones. */
static void pass(const struct summand__outer_build *build, uint32_t place, int before, int count)
{
    const struct summand__call *call = build->call;
    size_t first = pairs_from(call, call->rank, before);
    size_t end = pairs_from(call, call->rank, before + count);
    for (int l = 0; l < build->shape->layers; l++) {
        const struct summand__outer_layer *layer = &build->shape->layer[l];
        struct summand__outer_factors factors =
            summand__outer_factors_in(build, place, l, first, end - first);
        if (!before || factors.count)
            summand__outer_product(build, &factors, summand__outer_place(l, SUMMAND__OUTER_G), 0,
                                   layer->ldg, layer->rows, layer->columns, !before, false);
    }
}

static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    (void)algorithm;
    struct summand__outer_build all = summand__outer_begin(call, schedule);
    uint32_t place = pack_own(&all);
    int before = 0;
    for (int distance = 1; distance < call->ranks; distance *= 2) {
        summand__round(schedule);
        exchange(&all, place, distance);
        pass(&all, place, before, distance - before);
        before = distance;
    }
    summand__round(schedule);
    pass(&all, place, before, call->ranks - before);
}

static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)algorithm;
    (void)depth;
    struct summand__cost cost = {.depth_at_most = true};
    for (int distance = 1; distance < call->ranks; distance *= 2) {
        int count = summand__lesser(distance, call->ranks - distance);
        for (int r = 0; r < call->ranks; r++) {
            size_t elements = pairs_from(call, r, count) * call->outer->width;
            cost.messages += elements > 0;
            cost.elements += elements;
        }
        cost.depth++;
    }
    return cost;
}

/* The time of a pass over the pairs of so many ranks. All passes but the first also read the
 * result. */
static double pass_time(const struct summand__call *call, int ranks, bool begins,
                        const struct summand__model *model)
{
    const struct summand__outer_shape *shape = call->outer;
    double time = 0, pairs = (double)shape->pairs[call->ranks] / call->ranks * ranks;
    for (int l = 0; l < shape->layers; l++)
        time += (begins ? 1 : 2) * summand__outer_seconds(shape, (double)shape->layer[l].rows,
                                                          (double)shape->layer[l].columns, pairs,
                                                          model);
    return time;
}

static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    (void)algorithm;
    (void)element;
    const struct summand__outer_shape *shape = call->outer;
    double own = (double)shape->pairs[call->ranks] / call->ranks * (double)shape->width;
    double time = summand__outer_copy_seconds(shape, own, model);
    int before = 0;
    for (int distance = 1; distance < call->ranks; distance *= 2) {
        const struct summand__encounter one = {
            .ranks = call->ranks,
            .span = call->ranks,
            .distance = distance,
            .stride = 1,
            .partners = 1,
            .bytes = own * summand__lesser(distance, call->ranks - distance) *
                     (double)summand__outer_factor_size(shape->type)};
        time += summand__outer_both(call, summand__encounter_time(model, &one),
                                    pass_time(call, distance - before, !before, model), model);
        before = distance;
    }
    return time + pass_time(call, call->ranks - before, !before, model);
}

static bool applicable(const struct summand__call *call)
{
    return call->outer && call->outer->result == SUMMAND__OUTER_ALL && call->outer->any_bits &&
           !summand__outer_updates(call->outer) && summand__outer_takes(call->outer, 0);
}

const struct summand__algorithm summand__outer_bruck = {
    .name = "outer-bruck",
    .description = "factors by Bruck's allgather; ranks add those of a round during the next round",
    .source = "Enderlin et al., ETH; Bruck et al. (1997)",
    .applicable = applicable,
    .build = {[SUMMAND__COLL_OUTER] = build},
    .cost = cost,
    .estimate = estimate,
};
