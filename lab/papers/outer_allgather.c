/* SPDX-License-Identifier: BSD-3-Clause */
/* Allgather: two allgathers as an MPI has them, of a and of b; then a pass over the whole result
 * for each rank's pairs, in order.
 *
 * How: a rank packs its a and its b into two places. An allgatherv brings all a, another one all b.
 *   Then each rank adds up the products of the pairs of rank 0, 1, ... . No product begins before
 *   both allgathers end.
 * When: for comparison: the paper's baseline. outer-gather has one allgather and one product.
 * Cost: two allgathers, of L N and L M elements; p passes over N M elements.
 * Restrictions: memory for L (N + M) elements; the result is G itself, not updated.
 * Source: "allgather" of Enderlin et al., "Distributed sum of outer products" (ETH), section 5.1.
 */
#include <stdlib.h>

#include "lab/papers/outer_passes.h"

enum { SIDES = SUMMAND__OUTER_B + 1 };

/* Elements of a pair in a or b before layer `l`; l = layers: all. */
static size_t before(const struct summand__outer_shape *shape, int side, int l)
{
    size_t elements = 0;
    for (int i = 0; i < l; i++) {
        const struct summand__outer_layer *layer = &shape->layer[i];
        elements += side == SUMMAND__OUTER_A ? layer->rows : layer->symmetric ? 0 : layer->columns;
    }
    return elements;
}

static size_t width_of(const struct summand__outer_shape *shape, int side)
{
    return before(shape, side, shape->layers);
}

/* `offsets` has room for the ranks and one more. */
static struct summand__call gather_of(const struct summand__call *call, int side, size_t *offsets)
{
    struct summand__call gather = summand__outer_gather(call);
    for (int r = 0; r <= call->ranks; r++)
        offsets[r] = call->outer->pairs[r] * width_of(call->outer, side);
    gather.offsets = offsets;
    return gather;
}

static uint32_t pack(const struct summand__outer_build *build, int side)
{
    const struct summand__outer_shape *shape = build->shape;
    const size_t *pairs = shape->pairs, width = width_of(shape, side);
    uint32_t place = summand__add_place(build->schedule, SUMMAND__TEMPORARY, build->unit,
                                        pairs[build->call->ranks] * width);
    for (int l = 0; l < shape->layers; l++)
        summand__outer_pack(build, l, (enum summand__outer_place)side, 0,
                            before(shape, side, l + 1) - before(shape, side, l), place,
                            pairs[build->call->rank] * width + before(shape, side, l), width);
    return place;
}

static void pass(const struct summand__outer_build *build, const uint32_t place[SIDES], int of)
{
    const struct summand__outer_shape *shape = build->shape;
    const size_t first = shape->pairs[of], count = shape->pairs[of + 1] - first;
    for (int l = 0; l < shape->layers && (!of || count); l++) {
        const struct summand__outer_layer *layer = &shape->layer[l];
        const int side = layer->symmetric ? SUMMAND__OUTER_A : SUMMAND__OUTER_B;
        const size_t a = width_of(shape, SUMMAND__OUTER_A), b = width_of(shape, side);
        const struct summand__outer_factors factors = {.place_a = place[SUMMAND__OUTER_A],
                                                       .place_b = place[side],
                                                       .a = first * a +
                                                            before(shape, SUMMAND__OUTER_A, l),
                                                       .b = first * b + before(shape, side, l),
                                                       .pitch_a = a,
                                                       .pitch_b = b,
                                                       .count = count};
        summand__outer_product(build, &factors, summand__outer_place(l, SUMMAND__OUTER_G), 0,
                               layer->ldg, layer->rows, layer->columns, !of, false);
    }
}

static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    (void)algorithm;
    struct summand__outer_build all = summand__outer_begin(call, schedule);
    size_t *offsets = malloc(((size_t)call->ranks + 1) * sizeof *offsets);
    uint32_t place[SIDES];
    schedule->failed = schedule->failed || !offsets;
    for (int side = 0; side < SIDES; side++)
        place[side] = pack(&all, side);
    for (int side = 0; side < SIDES && offsets; side++) {
        struct summand__call gather = gather_of(call, side, offsets);
        summand__outer_embed(&all, &call->outer->gather, &gather, place[side], 0);
    }
    free(offsets);
    for (int r = 0; r < call->ranks; r++)
        pass(&all, place, r);
}

static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)algorithm;
    size_t *offsets = malloc(((size_t)call->ranks + 1) * sizeof *offsets);
    struct summand__cost cost = {.unknown = !offsets};
    for (int side = 0; side < SIDES && offsets; side++) {
        struct summand__call gather = gather_of(call, side, offsets);
        cost = summand__outer_add(cost,
                                  summand__outer_part_cost(&call->outer->gather, &gather, depth));
    }
    free(offsets);
    return cost;
}

/* Assumes as many pairs on each rank. */
static double gather_time(const struct summand__call *call, int side,
                          const struct summand__model *model)
{
    const struct summand__outer_shape *shape = call->outer;
    const size_t ranks = (size_t)call->ranks,
                 elements = shape->pairs[ranks] * width_of(shape, side);
    struct summand__call gather = summand__outer_gather(call);
    gather.collective = SUMMAND__COLL_ALLGATHER;
    gather.offsets = NULL;
    gather.count = (elements + ranks - 1) / ranks;
    return ranks > 1 && elements
               ? summand__estimate_of(shape->gather.algorithm, &gather,
                                      summand__outer_factor_size(shape->type), model)
               : 0;
}

static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    (void)algorithm;
    (void)element;
    const struct summand__outer_shape *shape = call->outer;
    double ranks = call->ranks, pairs = (double)shape->pairs[call->ranks] / ranks;
    double time = summand__outer_copy_seconds(shape, pairs * (double)shape->width, model);
    for (int side = 0; side < SIDES; side++)
        time += gather_time(call, side, model);
    return time + summand__outer_passes_seconds(shape, ranks, pairs, model);
}

static bool applicable(const struct summand__call *call)
{
    return call->outer && call->outer->result == SUMMAND__OUTER_ALL &&
           call->outer->gather.algorithm && !summand__outer_updates(call->outer) &&
           summand__outer_takes(call->outer, SUMMAND__OUTER_BY_GATHER);
}

const struct summand__algorithm summand__outer_allgather = {
    .name = "outer-allgather",
    .description = "two allgathers, then one pass over the result for each rank's factors",
    .source = "Enderlin et al., ETH",
    .promises = SUMMAND__PAIR_ORDER | SUMMAND__SAME_BITS,
    .applicable = applicable,
    .build = {[SUMMAND__COLL_OUTER] = build},
    .cost = cost,
    .estimate = estimate,
};
