/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes: a pass over the whole result for each rank's pairs, in order, as they arrive.
 *
 * How: in round r rank r sends its factors to all others, by one multicast if ranks share memory.
 *   Meanwhile all ranks add up the pairs of rank r - 1.
 * When: for comparison. The result moves through memory p times; one product would write it once.
 *   This is the paper's allgather-async in the order of ranks; outer-allgather is its allgather.
 * Cost: (p - 1) messages from each rank, L (N + M) elements to each; p passes over N M elements.
 * Restrictions: memory for L (N + M) elements; the result is G itself, not updated.
 * Source: Enderlin et al., "Distributed sum of outer products" (ETH). */
#include "lab/papers/outer_passes.h"
#include "algorithm/estimate.h"

static void exchange(const struct summand__outer_build *build, uint32_t place, int of)
{
    const struct summand__call *call = build->call;
    const size_t *first = call->outer->factors;
    struct summand__region pairs =
        summand__region((enum summand__place)place, first[of], first[of + 1] - first[of]);
    if (call->rank != of)
        summand__recv_multicast(build->schedule, of, pairs);
    for (int distance = 1; distance < call->ranks && call->rank == of; distance++)
        summand__multicast(build->schedule, (of + distance) % call->ranks, pairs);
}

static void pass(const struct summand__outer_build *build, uint32_t place, int of)
{
    const size_t *pairs = build->shape->pairs;
    for (int l = 0; l < build->shape->layers; l++) {
        const struct summand__outer_layer *layer = &build->shape->layer[l];
        struct summand__outer_factors factors =
            summand__outer_factors_in(build, place, l, pairs[of], pairs[of + 1] - pairs[of]);
        if (!of || factors.count)
            summand__outer_product(build, &factors, summand__outer_place(l, SUMMAND__OUTER_G), 0,
                                   layer->ldg, layer->rows, layer->columns, !of, false);
    }
}

static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    (void)algorithm;
    struct summand__outer_build all = summand__outer_begin(call, schedule);
    uint32_t place = summand__outer_own_factors(&all);
    summand__round(schedule);
    for (int r = 0; r <= call->ranks; r++) {
        if (r < call->ranks)
            exchange(&all, place, r);
        if (r)
            pass(&all, place, r - 1);
        summand__round(schedule);
    }
}

static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)algorithm;
    (void)depth;
    struct summand__cost cost = {.depth_at_most = true};
    size_t others = (size_t)call->ranks - 1;
    for (int r = 0; r < call->ranks && others; r++) {
        size_t elements = call->outer->factors[r + 1] - call->outer->factors[r];
        if (!elements)
            continue;
        cost.messages += others;
        cost.elements += others * elements;
        cost.repeats += others - 1;
        cost.repeated += (others - 1) * elements;
        cost.depth++;
    }
    return cost;
}

static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    (void)algorithm;
    (void)element;
    const struct summand__outer_shape *shape = call->outer;
    double ranks = call->ranks, pairs = (double)shape->pairs[call->ranks] / ranks;
    double bytes = (double)(shape->factors[call->ranks] * summand__outer_factor_size(shape->type));
    double time = summand__outer_passes_seconds(shape, ranks, pairs, model) +
                  summand__outer_copy_seconds(shape, pairs * (double)shape->width, model);
    struct summand__encounter one = {.ranks = call->ranks,
                                     .span = call->ranks,
                                     .distance = 1,
                                     .stride = 1,
                                     .partners = ranks - 1,
                                     .bytes = bytes / ranks};
    return time + (call->ranks > 1 && bytes > 0 ? ranks * summand__encounter_time(model, &one) : 0);
}

static bool applicable(const struct summand__call *call)
{
    return call->outer && call->outer->result == SUMMAND__OUTER_ALL &&
           !summand__outer_updates(call->outer) && summand__outer_takes(call->outer, 0);
}

const struct summand__algorithm summand__outer_passes = {
    .name = "outer-passes",
    .description = "all factors to all ranks, one pass over the result for each rank's factors",
    .source = "Enderlin et al., ETH",
    .promises = SUMMAND__PAIR_ORDER | SUMMAND__SAME_BITS,
    .applicable = applicable,
    .build = {[SUMMAND__COLL_OUTER] = build},
    .cost = cost,
    .estimate = estimate,
};
