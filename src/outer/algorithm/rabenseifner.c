/* SPDX-License-Identifier: BSD-3-Clause */
/* Generalized Rabenseifner: all factors go to all ranks. Each rank computes some rows of the
 * result, and an allgather brings them to all. Hybrid: every rank also computes common rows during
 * the allgather of the others.
 *
 * How: as gather.c. Then rank r multiplies rows r N / p to (r + 1) N / p, and an allgather brings
 *   all rows. Hybrid: every rank computes a share x of the rows during the allgather of the others.
 *   Each round gets the part of these rows that equals its part of the moved elements.
 * When: the first one for comparison, because slices.c sends less. The hybrid if a result is
 *   gathered about as fast as it is computed: then network and processor share the work.
 * Cost: that of both allgathers, of L (N + M) and (1 - x) N M elements; 2 N M L / p operations, and
 *   for the hybrid max(x 2 N M L (1 - 1 / p), the second allgather).
 * Restrictions: as slices.c, with memory for L (N + M) elements.
 * Source: Enderlin et al., "Distributed sum of outer products" (ETH), after Rabenseifner (2004);
 *   the hybrid is ours. */
#include <math.h>
#include <string.h>

#include "outer/algorithm/overlap.h"

/* One rank's rows of a layer, after the common ones; or its rows of all. */
static struct summand__outer_block rows_of(const struct summand__call *call, int l, bool rest)
{
    const struct summand__outer_layer *layer = &call->outer->layer[l];
    size_t first = rest ? layer->common : 0, rows = layer->rows - first;
    size_t begin = summand__cut(rows, (size_t)call->rank, (size_t)call->ranks);
    size_t end = summand__cut(rows, (size_t)call->rank + 1, (size_t)call->ranks);
    return (struct summand__outer_block){first + begin, end - begin, 0, layer->columns};
}

static void multiply(const struct summand__outer_build *build, uint32_t place, int l, size_t row,
                     size_t rows)
{
    const struct summand__outer_layer *layer = &build->shape->layer[l];
    struct summand__outer_factors factors =
        summand__outer_factors_in(build, place, l, 0, build->shape->pairs[build->call->ranks]);
    factors.a += row;
    summand__outer_product(build, &factors, summand__outer_place(l, SUMMAND__OUTER_G),
                           row * layer->ldg, layer->ldg, rows, layer->columns, true, true);
}

static uint32_t begin(struct summand__outer_build *all, const struct summand__call *call, bool rest)
{
    struct summand__call gather = summand__outer_gather(call);
    uint32_t place = summand__outer_own_factors(all);
    summand__outer_embed(all, &call->outer->gather, &gather, place, 0);
    for (int l = 0; l < call->outer->layers; l++) {
        struct summand__outer_block block = rows_of(call, l, rest);
        multiply(all, place, l, block.row, block.rows);
    }
    return place;
}

static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    (void)algorithm;
    struct summand__outer_build all = summand__outer_begin(call, schedule);
    begin(&all, call, false);
    for (int l = 0; l < call->outer->layers; l++) {
        struct summand__call spread = summand__outer_spread(call, l, false);
        summand__outer_embed(&all, &call->outer->spread, &spread,
                             summand__outer_place(l, SUMMAND__OUTER_G), 0);
    }
}

struct common {
    uint32_t factors;
    int l;
};

static void multiply_common(const struct summand__outer_build *build, const void *context,
                            size_t first, size_t rows)
{
    const struct common *common = context;
    multiply(build, common->factors, common->l, first, rows);
}

/* Appends the allgather of a layer's rows, with the product of the common rows beside it. */
static void overlap(const struct summand__outer_build *all, uint32_t factors, int l)
{
    const struct summand__outer_layer *layer = &all->shape->layer[l];
    struct summand__call call = summand__outer_spread(all->call, l, true);
    const struct common common = {factors, l};
    const struct summand__outer_rows rows = {multiply_common, &common, layer->common};
    summand__outer_overlap(all, &all->shape->spread, &call,
                           summand__outer_place(l, SUMMAND__OUTER_G),
                           layer->common * layer->columns, &rows);
}

static void build_hybrid(const struct summand__algorithm *algorithm,
                         const struct summand__call *call, struct summand__schedule *schedule)
{
    (void)algorithm;
    struct summand__outer_build all = summand__outer_begin(call, schedule);
    uint32_t place = begin(&all, call, true);
    for (int l = 0; l < call->outer->layers; l++)
        overlap(&all, place, l);
}

static struct summand__cost cost_of(const struct summand__call *call, bool depth, bool rest)
{
    return summand__outer_add(summand__outer_gather_cost(call, depth),
                              summand__outer_layers_cost(call, &call->outer->spread, rest, depth));
}

static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)algorithm;
    return cost_of(call, depth, false);
}

static struct summand__cost cost_hybrid(const struct summand__algorithm *algorithm,
                                        const struct summand__call *call, bool depth)
{
    (void)algorithm;
    return cost_of(call, depth, true);
}

/* Rounds of the allgather of a layer's rows. */
static double rounds_of(const struct summand__call *call)
{
    const struct summand__outer_part *part = &call->outer->spread;
    struct summand__call gather = summand__outer_gather(call);
    gather.collective = SUMMAND__COLL_ALLGATHER;
    gather.offsets = NULL;
    gather.count = 1;
    memcpy(gather.parameter, part->parameter, sizeof gather.parameter);
    size_t rounds = call->ranks > 1 ? summand__cost_of(part->algorithm, &gather).depth : 1;
    return rounds ? (double)rounds : 1;
}

/* Seconds of so many rows in pieces, each beside one round of an allgather of `spread` seconds. */
static double in_rounds(const struct summand__call *call, double spread, double rows,
                        double columns, double rounds, const struct summand__model *model)
{
    double pairs = (double)call->outer->pairs[call->ranks];
    double most = ceil(rows / SUMMAND__OUTER_LEAST_ROWS), pieces = most < rounds ? most : rounds;
    if (pieces < 1)
        return spread + summand__outer_seconds(call->outer, rows, columns, pairs, model);
    double made = summand__outer_seconds(call->outer, rows / pieces, columns, pairs, model);
    double step = spread / rounds, time = summand__outer_both(call, spread, pieces * made, model);
    double apart = pieces * (made > step ? made : step) + (rounds - pieces) * step;
    return time > apart ? time : apart;
}

/* Seconds of an allgather of `spread` seconds and so many bytes with the product of common rows
 * beside it. An allgather that sees nodes of g ranks moves about one g-th of the elements, and so
 * of the rows, in its rounds between nodes. These take most of the time. */
static double beside(const struct summand__call *call, double spread, double bytes, double rows,
                     double columns, const struct summand__model *model)
{
    const struct summand__algorithm *algorithm = call->outer->spread.algorithm;
    double ranks = model->per_node, rounds = rounds_of(call);
    double near = bytes * (1 - 1 / ranks) * model->level[SUMMAND__WITHIN_NODE].byte;
    if (!algorithm->limits[SUMMAND__NODE_SIZE].most || ranks < 2 || ranks >= call->ranks ||
        near >= spread)
        return in_rounds(call, spread, rows, columns, rounds, model);
    return in_rounds(call, spread - near, rows / ranks, columns, rounds > 1 ? rounds - 1 : 1,
                     model) +
           in_rounds(call, near, rows * (1 - 1 / ranks), columns, 1, model);
}

static double estimate_of(const struct summand__call *call, const struct summand__model *model,
                          bool rest)
{
    const struct summand__outer_shape *shape = call->outer;
    double pairs = (double)shape->pairs[call->ranks], time = 0;
    struct summand__call part = summand__outer_gather(call);
    if (call->ranks > 1)
        time = summand__estimate_of(shape->gather.algorithm, &part,
                                    summand__outer_factor_size(shape->type), model);
    time += summand__outer_copy_seconds(shape, pairs / call->ranks * (double)shape->width, model);
    for (int l = 0; l < shape->layers; l++) {
        const struct summand__outer_layer *layer = &shape->layer[l];
        double common = rest ? (double)layer->common : 0, columns = (double)layer->columns;
        double others = ceil(((double)layer->rows - common) / call->ranks);
        double spread = summand__outer_spread_seconds(call, l, rest, model);
        time += summand__outer_seconds(shape, others, columns, pairs, model);
        double bytes = ((double)layer->rows - common) * columns *
                       (double)summand__outer_result_size(shape->type);
        time += common > 0 ? beside(call, spread, bytes, common, columns, model) : spread;
    }
    return time;
}

static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    (void)algorithm;
    (void)element;
    return estimate_of(call, model, false);
}

static double estimate_hybrid(const struct summand__algorithm *algorithm,
                              const struct summand__call *call, size_t element,
                              const struct summand__model *model)
{
    (void)algorithm;
    (void)element;
    return estimate_of(call, model, true);
}

static bool applicable(const struct summand__call *call)
{
    return summand__outer_spreads(call) && call->outer->gather.algorithm &&
           call->outer->spread.algorithm &&
           summand__outer_takes(call->outer, SUMMAND__OUTER_BY_GATHER | SUMMAND__OUTER_BY_SPREAD);
}

const struct summand__algorithm summand__outer_rabenseifner = {
    .name = "outer-rabenseifner",
    .description = "all factors to all ranks; each computes rows, which are gathered",
    .source = "Enderlin et al., ETH; Rabenseifner (2004)",
    .promises = SUMMAND__PAIR_ORDER | SUMMAND__SAME_BITS,
    .applicable = applicable,
    .build = {[SUMMAND__COLL_OUTER] = build},
    .cost = cost,
    .estimate = estimate,
};

const struct summand__algorithm summand__outer_hybrid = {
    .name = "outer-hybrid",
    .description = "every rank computes a share of the result while the rest is gathered by rows",
    .source = "ours",
    .promises = SUMMAND__PAIR_ORDER | SUMMAND__SAME_BITS,
    .applicable = applicable,
    .build = {[SUMMAND__COLL_OUTER] = build_hybrid},
    .cost = cost_hybrid,
    .estimate = estimate_hybrid,
};
