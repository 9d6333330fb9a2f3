/* SPDX-License-Identifier: BSD-3-Clause */
/* Gather: every rank gets all factors and computes its result in one product.
 *
 * How: a rank packs its pairs contiguously, a and b side by side. An allgatherv brings all pairs in
 *   the order of the ranks. Then one product over all pairs. For a root: all ranks send their pairs
 *   to it. For a result of factors there is no product.
 * When: few pairs, L < about w F / (2 B) for element size w, F operations and B bytes per second:
 *   hundreds. No algorithm with a whole result on all ranks moves fewer bytes.
 * Cost: that of the gather of L (N + M) elements; then 2 N M L operations, or writing N M elements.
 * Restrictions: memory for L (N + M) elements.
 * Source: folklore; as an allgather with one pass for each rank Enderlin et al., "Distributed sum
 *   of outer products" (ETH). */
#include "compute/kernels.h"
#include "outer/algorithm/root.h"

static void send_to_root(const struct summand__outer_build *build, uint32_t place)
{
    const struct summand__call *call = build->call;
    const size_t *first = call->outer->factors;
    summand__round(build->schedule);
    for (int r = 0; r < call->ranks; r++) {
        struct summand__region own =
            summand__region((enum summand__place)place, first[r], first[r + 1] - first[r]);
        if (call->rank == call->root && r != call->root)
            summand__recv(build->schedule, r, own);
        if (call->rank == r && r != call->root)
            summand__send(build->schedule, call->root, own);
    }
    summand__round(build->schedule);
}

static void hand_over(const struct summand__outer_build *build, uint32_t place, int l)
{
    const struct summand__outer_shape *shape = build->shape;
    const struct summand__outer_layer *layer = &shape->layer[l];
    size_t all = shape->pairs[build->call->ranks];
    size_t width = layer->rows + (layer->symmetric ? 0 : layer->columns);
    if (width)
        summand__compute(
            build->schedule, summand__kernel_named("pack"),
            summand__tile(place, layer->at_a, all, width, shape->width), (struct summand__tile){0},
            summand__tile(summand__outer_place(l, SUMMAND__OUTER_G), 0, all, width, layer->ldg),
            false);
}

static void multiply(const struct summand__outer_build *build, uint32_t place, int l)
{
    const struct summand__outer_layer *layer = &build->shape->layer[l];
    struct summand__outer_block block = summand__outer_own(build, l);
    struct summand__outer_factors factors =
        summand__outer_factors_in(build, place, l, 0, build->shape->pairs[build->call->ranks]);
    factors.a += block.row;
    factors.b += block.column;
    summand__outer_product(build, &factors, summand__outer_place(l, SUMMAND__OUTER_G), 0,
                           layer->ldg, block.rows, block.columns, true, true);
}

static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    (void)algorithm;
    struct summand__outer_build all = summand__outer_begin(call, schedule);
    struct summand__call gather = summand__outer_gather(call);
    uint32_t place = summand__outer_own_factors(&all);
    if (summand__outer_is_rooted(call))
        send_to_root(&all, place);
    else
        summand__outer_embed(&all, &call->outer->gather, &gather, place, 0);
    for (int l = 0; l < call->outer->layers; l++)
        if (call->outer->result == SUMMAND__OUTER_FACTORS)
            hand_over(&all, place, l);
        else
            multiply(&all, place, l);
}

static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)algorithm;
    struct summand__cost cost = {.depth = 0};
    if (!summand__outer_is_rooted(call))
        return summand__outer_gather_cost(call, depth);
    for (int r = 0; r < call->ranks; r++) {
        size_t elements = call->outer->factors[r + 1] - call->outer->factors[r];
        if (r == call->root || !elements)
            continue;
        cost.messages++;
        cost.elements += elements;
        cost.depth = 1;
    }
    return cost;
}

/* Seconds until all factors are where they are multiplied. */
static double gather_time(const struct summand__call *call, const struct summand__model *model)
{
    const struct summand__outer_shape *shape = call->outer;
    const double factors = (double)shape->factors[call->ranks], ranks = call->ranks;
    const size_t size = summand__outer_factor_size(shape->type);
    struct summand__call gather = summand__outer_gather(call);
    if (call->ranks == 1)
        return 0;
    return summand__outer_is_rooted(call)
               ? summand__outer_to_root_seconds(call, ranks - 1, 1,
                                                factors * (1 - 1 / ranks) * (double)size, model)
               : summand__estimate_of(shape->gather.algorithm, &gather, size, model);
}

static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    (void)algorithm;
    const struct summand__outer_shape *shape = call->outer;
    bool grid = shape->result == SUMMAND__OUTER_BLOCKS;
    int last = grid ? shape->grid_rows * shape->grid_columns - 1 : call->ranks - 1;
    int largest = summand__outer_is_rooted(call) ? call->root : last;
    double pairs = (double)shape->pairs[call->ranks];
    double time = gather_time(call, model);
    (void)element;
    time += summand__outer_copy_seconds(shape, pairs / call->ranks * (double)shape->width, model) +
            summand__outer_packing_seconds(shape, model);
    if (shape->result == SUMMAND__OUTER_FACTORS) /* the factors are the result */
        time += summand__outer_copy_seconds(shape, pairs * (double)shape->width, model);
    for (int l = 0; l < shape->layers && shape->result != SUMMAND__OUTER_FACTORS; l++) {
        struct summand__outer_block block =
            summand__outer_block_of(shape, &shape->layer[l], largest, call->root, call->ranks);
        time +=
            summand__outer_seconds(shape, (double)block.rows, (double)block.columns, pairs, model);
    }
    return time;
}

static bool applicable(const struct summand__call *call)
{
    return call->outer && call->outer->gather.algorithm &&
           call->outer->result != SUMMAND__OUTER_PARCELS &&
           summand__outer_takes(call->outer, SUMMAND__OUTER_BY_GATHER);
}

const struct summand__algorithm summand__outer_gather_product = {
    .name = "outer-gather",
    .description = "all factors to all ranks, then one product over all pairs",
    .source = "folklore; Enderlin et al., ETH",
    .promises = SUMMAND__PAIR_ORDER | SUMMAND__SAME_BITS,
    .applicable = applicable,
    .build = {[SUMMAND__COLL_OUTER] = build},
    .cost = cost,
    .estimate = estimate,
};
