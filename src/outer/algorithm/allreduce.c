/* SPDX-License-Identifier: BSD-3-Clause */
/* All-reduce, and reduction to a root: each rank sums its own pairs, and a collective adds these
 * sums.
 *
 * How: one product, in the result's place if it fits there, else in temporary memory; then any
 *   all-reduce or reduction of the table. With ring, recursive-doubling, rabenseifner and segments
 *   the all-reduces are the paper's allreduce-ring, allreduce-butterfly and allreduce.
 * When: many pairs on each rank, K > about N / (2 sqrt(p)), if any order of pairs is allowed.
 * Cost: 2 N M K operations, and those of the collective of N M elements.
 * Restrictions: pairs are added rank by rank, in the bracketing of the collective. Memory for N M
 *   elements on ranks without a result, and if the result is updated or its rows have gaps.
 * Source: Enderlin et al., "Distributed sum of outer products" (ETH). */
#include "outer/algorithm/build.h"
#include "outer/algorithm/kernels.h"

/* The product and its collective; then the update of the result, if it lies elsewhere. */
static void layer(const struct summand__outer_build *all, int l)
{
    const struct summand__outer_shape *shape = all->shape;
    const struct summand__outer_layer *of = &shape->layer[l];
    size_t rows = of->rows, columns = of->columns, first = 0;
    uint32_t result = summand__outer_place(l, SUMMAND__OUTER_G), place = result;
    bool gets = shape->result == SUMMAND__OUTER_ALL || all->call->rank == all->call->root;
    bool apart = !gets || summand__outer_updates(shape) || of->ldg != columns;
    struct summand__call sum = summand__outer_sum(all->call, l);
    struct summand__outer_factors own = {
        .place_a = summand__outer_place(l, SUMMAND__OUTER_A),
        .place_b = summand__outer_place(l, of->symmetric ? SUMMAND__OUTER_A : SUMMAND__OUTER_B),
        .pitch_a = of->lda,
        .pitch_b = of->symmetric ? of->lda : of->ldb,
        .count = summand__outer_pairs(all->call, all->call->rank)};
    if (apart)
        place = summand__outer_room(all, rows * columns, &first);
    summand__outer_product(all, &own, place, first, columns, rows, columns, true, false);
    summand__outer_embed(all, &shape->sum, &sum, place, first);
    const struct summand__computation what = {.kernel = &summand__outer_applies[shape->type],
                                              .begins = shape->beta == 0,
                                              .alpha = shape->alpha,
                                              .beta = shape->beta};
    if (apart && gets)
        summand__compute_as(
            all->schedule, &what, summand__tile(place, first, rows, columns, columns),
            (struct summand__tile){0}, summand__tile(result, 0, rows, columns, of->ldg));
}

static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    (void)algorithm;
    struct summand__outer_build all = summand__outer_begin(call, schedule);
    for (int l = 0; l < call->outer->layers; l++)
        layer(&all, l);
}

static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)algorithm;
    return summand__outer_layers_cost(call, &call->outer->sum, false, depth);
}

static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    (void)algorithm;
    (void)element;
    const struct summand__outer_shape *shape = call->outer;
    const size_t result = summand__outer_result_size(shape->type);
    /* Sums of others are read, and on all ranks results are written, as outside of caches. */
    const double passes = shape->result == SUMMAND__OUTER_ALL ? 2 : 1;
    double pairs = (double)shape->pairs[call->ranks] / call->ranks, time = 0;
    for (int l = 0; l < shape->layers; l++) {
        const struct summand__outer_layer *of = &shape->layer[l];
        struct summand__call sum = summand__outer_sum(call, l);
        time += summand__outer_seconds(shape, (double)of->rows, (double)of->columns, pairs, model);
        if (call->ranks > 1)
            time += summand__estimate_of(shape->sum.algorithm, &sum, result, model) +
                    passes * summand__outer_uncached_seconds(
                                 call->ranks, (double)(of->rows * of->columns * result), model);
    }
    return time;
}

static bool applicable(const struct summand__call *call)
{
    return call->outer && call->outer->result == SUMMAND__OUTER_ALL && call->outer->sum.algorithm &&
           summand__outer_takes(call->outer, SUMMAND__OUTER_BY_SUM);
}

static bool applicable_to_root(const struct summand__call *call)
{
    return call->outer && call->outer->result == SUMMAND__OUTER_ROOT &&
           call->outer->sum.algorithm && summand__outer_takes(call->outer, SUMMAND__OUTER_BY_SUM);
}

const struct summand__algorithm summand__outer_allreduce = {
    .name = "outer-allreduce",
    .description = "each rank sums its own pairs; an all-reduce adds these sums",
    .source = "Enderlin et al., ETH",
    .promises = SUMMAND__SAME_BITS,
    .applicable = applicable,
    .build = {[SUMMAND__COLL_OUTER] = build},
    .cost = cost,
    .estimate = estimate,
};

const struct summand__algorithm summand__outer_reduce = {
    .name = "outer-reduce",
    .description = "each rank sums its own pairs; a reduction adds these sums on the root",
    .source = "ours, after outer-allreduce",
    .promises = SUMMAND__SAME_BITS,
    .applicable = applicable_to_root,
    .build = {[SUMMAND__COLL_OUTER] = build},
    .cost = cost,
    .estimate = estimate,
};
