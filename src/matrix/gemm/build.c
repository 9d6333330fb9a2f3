/* SPDX-License-Identifier: BSD-3-Clause */
#include "matrix/gemm/build.h"

#include "compute/kernels.h"
#include "outer/algorithm/kernels.h"

static size_t hull(const struct summand__gemm_operand *operand, int rank)
{
    int64_t rows, columns;
    int h = summand__gemm_holder(operand, rank);
    if (h < 0)
        return 0;
    summand__gemm_extent(&operand->holder[h], &rows, &columns);
    return rows && columns ? (size_t)(columns - 1) * summand__gemm_lead(operand, h) + (size_t)rows
                           : 0;
}

static const struct summand__gemm_operand *operand_at(const struct summand__gemm_shape *shape,
                                                      uint32_t place)
{
    return place == SUMMAND__GEMM_PLACE_A   ? &shape->a
           : place == SUMMAND__GEMM_PLACE_B ? &shape->b
                                            : &shape->c;
}

struct summand__gemm_build summand__gemm_begin(const struct summand__call *call,
                                               struct summand__schedule *schedule, size_t slots,
                                               size_t results)
{
    const struct summand__gemm_shape *shape = call->gemm;
    const size_t unit = summand__product_size(shape->type);
    summand__add_place(schedule, SUMMAND__INPUT, unit, hull(&shape->a, call->rank));
    summand__add_place(schedule, SUMMAND__INPUT, unit, hull(&shape->b, call->rank));
    summand__add_place(schedule, shape->beta != 0 ? SUMMAND__UPDATED : SUMMAND__RESULT, unit,
                       hull(&shape->c, call->rank));
    summand__add_place(schedule, SUMMAND__WINDOW, unit, slots);
    summand__add_place(schedule, SUMMAND__WINDOW, unit, results);
    for (uint32_t place = SUMMAND__GEMM_PACKED; place <= SUMMAND__GEMM_TILE; place++)
        summand__add_place(schedule, SUMMAND__TEMPORARY, unit, 0);
    summand__add_place(schedule, SUMMAND__INPUT, sizeof(struct summand__gemm_finish),
                       shape->finishes);
    for (uint32_t place = SUMMAND__GEMM_PLACE_A; place <= SUMMAND__GEMM_PLACE_C; place++)
        if (operand_at(shape, place)->shared)
            summand__share_place(schedule, place);
    for (int kind = 0; kind < SUMMAND__GEMM_COUNTERS; kind++)
        for (int other = 0; other < call->ranks; other++)
            summand__add_counter(schedule, other, 0);
    return (struct summand__gemm_build){call, shape, schedule, call->rank};
}

void summand__gemm_room(const struct summand__gemm_build *build, uint32_t place, size_t count)
{
    if (build->schedule->failed)
        return;
    struct summand__place_info *info = &build->schedule->info[place - SUMMAND__PLACES];
    info->count = count > info->count ? count : info->count;
}

uint32_t summand__gemm_counter(const struct summand__gemm_build *build,
                               enum summand__gemm_counter kind, int other)
{
    return (uint32_t)kind * (uint32_t)build->call->ranks + (uint32_t)other;
}

void summand__gemm_expect(const struct summand__gemm_build *build, enum summand__gemm_counter kind,
                          int other, size_t count)
{
    if (!build->schedule->failed)
        build->schedule->tables->counters[summand__gemm_counter(build, kind, other)].per_start =
            count;
}

struct summand__columns summand__gemm_array(const struct summand__gemm_build *build,
                                            enum summand__gemm_side side)
{
    const struct summand__gemm_operand *operand = summand__gemm_operand(build->shape, side);
    size_t lead = summand__gemm_lead(operand, summand__gemm_holder(operand, build->rank));
    uint32_t place = side == SUMMAND__GEMM_A ? SUMMAND__GEMM_PLACE_A : SUMMAND__GEMM_PLACE_B;
    return (struct summand__columns){place, 0, lead};
}

struct summand__columns summand__gemm_view(const struct summand__gemm_build *build, uint32_t place,
                                           int holder)
{
    const struct summand__gemm_operand *operand = operand_at(build->shape, place);
    struct summand__schedule *schedule = build->schedule;
    int rank = operand->holder[holder].rank;
    struct summand__columns array = {place, 0, summand__gemm_lead(operand, holder)};
    if (rank == build->rank || schedule->failed)
        return array;
    for (unsigned p = SUMMAND__GEMM_VIEWS - SUMMAND__PLACES; p < schedule->places; p++)
        if (schedule->info[p].peer == rank && schedule->info[p].of == place) {
            array.place = SUMMAND__PLACES + p;
            return array;
        }
    array.place = summand__add_view(schedule, rank, place,
                                    summand__product_size(build->shape->type), hull(operand, rank));
    return array;
}

static struct summand__tile tile_of(const struct summand__columns *array, int64_t rows,
                                    int64_t columns)
{
    return summand__tile(array->place, array->first, (size_t)columns, (size_t)rows, array->lead);
}

/* A part of a segment. */
static struct summand__tile part(const struct summand__gemm_build *build,
                                 enum summand__gemm_side side,
                                 const struct summand__gemm_segment *segment, int64_t k,
                                 int64_t count, int64_t outer)
{
    bool inner_rows = summand__gemm_inner_rows(build->shape, side);
    struct summand__columns array = segment->array;
    array.first += (size_t)(k - segment->k) * (inner_rows ? 1 : array.lead);
    return inner_rows ? tile_of(&array, count, outer) : tile_of(&array, outer, count);
}

void summand__gemm_multiply(const struct summand__gemm_build *build,
                            const struct summand__gemm_segment *a,
                            const struct summand__gemm_segment *b, int64_t k, int64_t count,
                            const struct summand__gemm_target *target, bool begins, bool updates)
{
    const struct summand__gemm_shape *shape = build->shape;
    const struct summand__computation what = {
        .kernel = summand__gemm_kernel(shape->blas, shape->type, shape->a.turned, shape->b.turned,
                                       updates),
        .begins = updates ? shape->beta == 0 : begins,
        .alpha = shape->alpha,
        .beta = shape->beta};
    summand__compute_as(build->schedule, &what,
                        part(build, SUMMAND__GEMM_B, b, k, count, target->columns),
                        part(build, SUMMAND__GEMM_A, a, k, count, target->rows),
                        tile_of(&target->array, target->rows, target->columns));
}

static const struct summand__kernel *apply_kernel(const struct summand__gemm_shape *shape)
{
    static const enum summand__outer_type types[SUMMAND__PRODUCT_TYPES] = {
        [SUMMAND__PRODUCT_F64] = SUMMAND__OUTER_F64, [SUMMAND__PRODUCT_F32] = SUMMAND__OUTER_F32};
    return &summand__outer_applies[types[shape->type]];
}

static void combine(const struct summand__gemm_build *build,
                    const struct summand__gemm_target *from, const struct summand__gemm_target *to,
                    bool copies, double alpha, double beta)
{
    const struct summand__computation what = {.kernel = copies ? summand__kernel_named("pack")
                                                               : apply_kernel(build->shape),
                                              .begins = beta == 0,
                                              .alpha = alpha,
                                              .beta = beta};
    summand__compute_as(build->schedule, &what, tile_of(&from->array, from->rows, from->columns),
                        (struct summand__tile){0}, tile_of(&to->array, to->rows, to->columns));
}

void summand__gemm_apply(const struct summand__gemm_build *build,
                         const struct summand__gemm_target *chain,
                         const struct summand__gemm_target *result)
{
    const struct summand__gemm_shape *shape = build->shape;
    combine(build, chain, result, !summand__gemm_updates(shape), shape->alpha, shape->beta);
}

void summand__gemm_add(const struct summand__gemm_build *build,
                       const struct summand__gemm_target *part,
                       const struct summand__gemm_target *sum, bool first)
{
    combine(build, part, sum, first, 1, !first);
}

void summand__gemm_only_update(const struct summand__gemm_build *build)
{
    const struct summand__gemm_segment none = {.array = {SUMMAND__GEMM_PLACE_A, 0, 1}};
    const struct summand__gemm_operand *c = &build->shape->c;
    int64_t rows, columns;
    int own = summand__gemm_holder(c, build->rank);
    if (own < 0)
        return;
    summand__gemm_extent(&c->holder[own], &rows, &columns);
    struct summand__gemm_target target = summand__gemm_tile(build, own, 0, columns);
    summand__gemm_multiply(build, &none, &none, 0, 0, &target, true, true);
    summand__gemm_finish(build, &target);
}

int64_t summand__gemm_credits_for(size_t slots, size_t total, size_t number)
{
    if (number >= slots)
        return (int64_t)(number - slots) + 1;
    size_t before = number + (total - 1 - number) / slots * slots;
    return (int64_t)before + 1 - (int64_t)total;
}

void summand__gemm_finish(const struct summand__gemm_build *build,
                          const struct summand__gemm_target *result)
{
    if (build->shape->finishes)
        summand__compute(build->schedule, &summand__gemm_finishes[build->shape->type],
                         summand__tile(SUMMAND__GEMM_FINISH, 0, 1, 1, 1), (struct summand__tile){0},
                         tile_of(&result->array, result->rows, result->columns), false);
}

struct summand__gemm_target summand__gemm_columns(const struct summand__gemm_target *target,
                                                  int64_t first, int64_t count)
{
    struct summand__gemm_target part = *target;
    part.array.first += (size_t)first * part.array.lead;
    part.columns = count;
    return part;
}

struct summand__gemm_segment summand__gemm_behind(const struct summand__gemm_build *build,
                                                  const struct summand__gemm_segment *b,
                                                  int64_t first)
{
    struct summand__gemm_segment part = *b;
    part.array.first +=
        (size_t)first *
        (summand__gemm_inner_rows(build->shape, SUMMAND__GEMM_B) ? part.array.lead : 1);
    return part;
}

int64_t summand__gemm_chunk(const struct summand__gemm_build *build, int64_t columns)
{
    int64_t chunk = (int64_t)build->shape->finish;
    return chunk && chunk < columns ? chunk : columns + !columns;
}

struct summand__gemm_target summand__gemm_tile(const struct summand__gemm_build *build, int holder,
                                               int64_t first, int64_t columns)
{
    struct summand__columns array = summand__gemm_view(build, SUMMAND__GEMM_PLACE_C, holder);
    array.first = (size_t)first * array.lead;
    return (struct summand__gemm_target){
        array, summand__share_extent(&build->shape->c.holder[holder].rows), columns};
}
