/* SPDX-License-Identifier: BSD-3-Clause */
#include "outer/algorithm/build.h"

#include "algorithm/estimate.h"
#include "compute/kernels.h"
#include "outer/algorithm/kernels.h"

static size_t hull(size_t rows, size_t columns, size_t pitch)
{
    return rows && columns ? (rows - 1) * pitch + columns : 0;
}

struct summand__outer_block summand__outer_own(const struct summand__outer_build *build, int l)
{
    const struct summand__call *call = build->call;
    return summand__outer_block_of(build->shape, &build->shape->layer[l], call->rank, call->root,
                                   call->ranks);
}

struct summand__outer_block summand__outer_made(const struct summand__call *call, int l, int rank)
{
    struct summand__outer_shape made = *call->outer;
    if (made.result == SUMMAND__OUTER_ALL || made.result == SUMMAND__OUTER_ROOT)
        made.result = SUMMAND__OUTER_ROWS;
    return summand__outer_block_of(&made, &call->outer->layer[l], rank, 0, call->ranks);
}

static void add_result(const struct summand__outer_build *build, int l)
{
    const struct summand__outer_shape *shape = build->shape;
    const struct summand__outer_layer *layer = &shape->layer[l];
    if (shape->result == SUMMAND__OUTER_FACTORS) {
        size_t width = layer->rows + (layer->symmetric ? 0 : layer->columns);
        summand__add_place(build->schedule, SUMMAND__RESULT, build->unit,
                           hull(shape->pairs[build->call->ranks], width, layer->ldg));
        return;
    }
    if (shape->result == SUMMAND__OUTER_PARCELS) {
        summand__add_place(build->schedule, SUMMAND__RESULT, build->unit,
                           summand__outer_parcels_before(build->call, build->call->ranks));
        return;
    }
    struct summand__outer_block block = summand__outer_own(build, l);
    summand__add_place(build->schedule, shape->beta != 0 ? SUMMAND__UPDATED : SUMMAND__RESULT,
                       build->result, hull(block.rows, block.columns, layer->ldg));
}

struct summand__outer_build summand__outer_begin(const struct summand__call *call,
                                                 struct summand__schedule *schedule)
{
    const struct summand__outer_shape *shape = call->outer;
    size_t pairs = summand__outer_pairs(call, call->rank);
    struct summand__outer_build build = {.call = call,
                                         .shape = shape,
                                         .schedule = schedule,
                                         .unit = summand__outer_factor_size(shape->type),
                                         .result = summand__outer_result_size(shape->type)};
    for (int l = 0; l < shape->layers; l++) {
        const struct summand__outer_layer *layer = &shape->layer[l];
        summand__add_place(schedule, SUMMAND__INPUT, build.unit,
                           hull(pairs, layer->rows, layer->lda));
        summand__add_place(schedule, SUMMAND__INPUT, build.unit,
                           layer->symmetric ? 0 : hull(pairs, layer->columns, layer->ldb));
        add_result(&build, l);
    }
    build.room = summand__add_place(schedule, SUMMAND__TEMPORARY, build.result, 0);
    return build;
}

uint32_t summand__outer_room(const struct summand__outer_build *build, size_t count, size_t *first)
{
    struct summand__schedule *schedule = build->schedule;
    *first = 0;
    if (schedule->failed)
        return build->room;
    struct summand__place_info *info = &schedule->info[build->room - SUMMAND__PLACES];
    *first = info->count;
    info->count += count;
    return build->room;
}

void summand__outer_pack(const struct summand__outer_build *build, int l,
                         enum summand__outer_place which, size_t first, size_t count,
                         uint32_t place, size_t to, size_t pitch)
{
    const struct summand__outer_layer *layer = &build->shape->layer[l];
    size_t pairs = summand__outer_pairs(build->call, build->call->rank);
    bool a = which == SUMMAND__OUTER_A || layer->symmetric;
    if (!count)
        return;
    summand__compute(build->schedule, summand__kernel_named("pack"),
                     summand__tile(summand__outer_place(l, a ? SUMMAND__OUTER_A : SUMMAND__OUTER_B),
                                   first, pairs, count, a ? layer->lda : layer->ldb),
                     (struct summand__tile){0}, summand__tile(place, to, pairs, count, pitch),
                     false);
}

/* The kernel of a product of so many pairs. For few pairs our own kernel is the fastest. */
static const struct summand__kernel *kernel_of(const struct summand__outer_shape *shape,
                                               bool updates, size_t pairs)
{
    enum { FAST_PAIRS = 256 };
    const struct summand__kernel *fast =
        &(updates ? summand__outer_fast_updates_by : summand__outer_fast_chains)[shape->type];
    return shape->any_bits && fast->name && pairs >= FAST_PAIRS
               ? fast
               : &(updates ? summand__outer_updates_by : summand__outer_chains)[shape->type];
}

void summand__outer_product(const struct summand__outer_build *build,
                            const struct summand__outer_factors *factors, uint32_t place, size_t at,
                            size_t pitch, size_t rows, size_t columns, bool begins, bool whole)
{
    const struct summand__outer_shape *shape = build->shape;
    bool updates = whole && summand__outer_updates(shape);
    const struct summand__computation what = {.kernel = kernel_of(shape, updates, factors->count),
                                              .begins = updates ? shape->beta == 0 : begins,
                                              .alpha = shape->alpha,
                                              .beta = shape->beta,
                                              .tells = whole && !build->partial};
    summand__compute_as(
        build->schedule, &what,
        summand__tile(factors->place_a, factors->a, factors->count, rows, factors->pitch_a),
        summand__tile(factors->place_b, factors->b, factors->count, columns, factors->pitch_b),
        summand__tile(place, at, rows, columns, pitch));
}

uint32_t summand__outer_own_factors(const struct summand__outer_build *build)
{
    const struct summand__outer_shape *shape = build->shape;
    const struct summand__call *call = build->call;
    uint32_t place = summand__add_place(build->schedule, SUMMAND__TEMPORARY, build->unit,
                                        shape->factors[call->ranks]);
    size_t own = shape->factors[call->rank];
    for (int l = 0; l < shape->layers; l++) {
        const struct summand__outer_layer *layer = &shape->layer[l];
        summand__outer_pack(build, l, SUMMAND__OUTER_A, 0, layer->rows, place, own + layer->at_a,
                            shape->width);
        if (!layer->symmetric)
            summand__outer_pack(build, l, SUMMAND__OUTER_B, 0, layer->columns, place,
                                own + layer->at_b, shape->width);
    }
    return place;
}

struct summand__outer_factors summand__outer_factors_in(const struct summand__outer_build *build,
                                                        uint32_t place, int l, size_t first,
                                                        size_t count)
{
    const struct summand__outer_layer *layer = &build->shape->layer[l];
    size_t width = build->shape->width;
    return (struct summand__outer_factors){.place_a = place,
                                           .place_b = place,
                                           .a = first * width + layer->at_a,
                                           .b = first * width + layer->at_b,
                                           .pitch_a = width,
                                           .pitch_b = width,
                                           .count = count};
}

void summand__outer_scratch(const struct summand__outer_build *build, uint32_t place,
                            const struct summand__schedule *steps,
                            struct summand__embedding *embedding)
{
    size_t unit = summand__place_unit(build->schedule, place);
    if (steps->scratch && unit == build->result)
        embedding->at[SUMMAND__SCRATCH].place =
            summand__outer_room(build, steps->scratch, &embedding->at[SUMMAND__SCRATCH].first);
    else if (steps->scratch)
        embedding->at[SUMMAND__SCRATCH].place =
            summand__add_place(build->schedule, SUMMAND__TEMPORARY, unit, steps->scratch);
}

void summand__outer_embed(const struct summand__outer_build *build,
                          const struct summand__outer_part *part, const struct summand__call *call,
                          uint32_t place, size_t at)
{
    struct summand__schedule steps;
    struct summand__schedule *whole = build->schedule;
    if (call->ranks == 1 || whole->failed)
        return;
    if (!summand__build(part->algorithm, call, &steps)) {
        whole->failed = true;
        return;
    }
    struct summand__embedding embedding = {.stride = 1, .odd = -1, .all = true};
    embedding.at[SUMMAND__SENDBUF].place = embedding.at[SUMMAND__RECVBUF].place = place;
    embedding.at[SUMMAND__SENDBUF].first = embedding.at[SUMMAND__RECVBUF].first = at;
    summand__outer_scratch(build, place, &steps, &embedding);
    if (!whole->failed)
        summand__embed(whole, &steps, &embedding);
    summand__schedule_free(&steps);
}

struct summand__cost summand__outer_add(struct summand__cost a, struct summand__cost b)
{
    return (struct summand__cost){.messages = a.messages + b.messages,
                                  .elements = a.elements + b.elements,
                                  .depth = a.depth + b.depth,
                                  .depth_at_most = true,
                                  .repeats = a.repeats + b.repeats,
                                  .repeated = a.repeated + b.repeated,
                                  .unknown = a.unknown || b.unknown};
}

struct summand__cost summand__outer_part_cost(const struct summand__outer_part *part,
                                              const struct summand__call *call, bool depth)
{
    if (call->ranks == 1)
        return (struct summand__cost){.depth = 0};
    return depth ? summand__cost_of(part->algorithm, call)
                 : summand__volume_of(part->algorithm, call);
}

struct summand__cost summand__outer_gather_cost(const struct summand__call *call, bool depth)
{
    struct summand__call gather = summand__outer_gather(call);
    return summand__outer_part_cost(&call->outer->gather, &gather, depth);
}

struct summand__cost summand__outer_layers_cost(const struct summand__call *call,
                                                const struct summand__outer_part *part, bool rest,
                                                bool depth)
{
    struct summand__cost cost = {.depth = 0};
    for (int l = 0; l < call->outer->layers; l++) {
        struct summand__call inside = part == &call->outer->sum
                                          ? summand__outer_sum(call, l)
                                          : summand__outer_spread(call, l, rest);
        cost = summand__outer_add(cost, summand__outer_part_cost(part, &inside, depth));
    }
    return cost;
}

/* Ranks that share a processor. */
static double ranks_on_each(const struct summand__model *model)
{
    double share = model->processors > 0 ? model->per_node / model->processors : 1;
    return share > 1 ? share : 1;
}

double summand__outer_seconds(const struct summand__outer_shape *shape, double rows, double columns,
                              double pairs, const struct summand__model *model)
{
    size_t unit = summand__outer_factor_size(shape->type);
    size_t result = summand__outer_result_size(shape->type);
    double moved = summand__outer_moved(rows * columns * (double)result, shape->beta == 0);
    double factors = rows > 0 && columns > 0 ? pairs * (rows + columns) * (double)unit : 0;
    return summand__work_time(model, 2 * rows * columns * pairs, moved + factors,
                              result < sizeof(double)) *
           ranks_on_each(model);
}

/* On two cores of a Xeon (family 6, model 167) 128 MB take 0.24 ns for each byte received, instead
 * of 0.085 (docs/results/outer_ranks.md). The difference is about three writes. If ranks share a
 * processor, they soon evict each other's data from the caches: 8 MB cost one more write, 32 MB
 * three (4 and 8 ranks on two cores of a Xeon, family 6, model 207). */
double summand__outer_uncached_seconds(int ranks, double bytes, const struct summand__model *model)
{
    const double share = ranks_on_each(model), cached = share > 1 ? 8 << 20 : 16 << 20;
    const double passes = bytes > cached ? 3 : share > 1 && bytes > SUMMAND__CACHED ? 1 : 0;
    return ranks > 1 && ranks <= model->per_node
               ? passes * bytes * (1 - 1.0 / ranks) * model->write_byte * share
               : 0;
}

double summand__outer_spread_seconds(const struct summand__call *call, int l, bool rest,
                                     const struct summand__model *model)
{
    const struct summand__outer_shape *shape = call->outer;
    size_t result = summand__outer_result_size(shape->type);
    struct summand__call spread = summand__outer_spread(call, l, rest);
    if (call->ranks == 1)
        return 0;
    return summand__estimate_of(shape->spread.algorithm, &spread, result, model) +
           summand__outer_uncached_seconds(call->ranks,
                                           (double)(spread.offsets[call->ranks] * result), model);
}

double summand__outer_copy_seconds(const struct summand__outer_shape *shape, double elements,
                                   const struct summand__model *model)
{
    return 2 * elements * (double)summand__outer_factor_size(shape->type) * model->copy_byte;
}

double summand__outer_packing_seconds(const struct summand__outer_shape *shape,
                                      const struct summand__model *model)
{
    return shape->looks + summand__outer_copy_seconds(shape, (double)shape->packed, model);
}

bool summand__outer_spreads(const struct summand__call *call)
{
    const struct summand__outer_shape *shape = call->outer;
    return shape && shape->result == SUMMAND__OUTER_ALL && shape->dense &&
           (shape->beta == 0 || shape->replicated);
}
