/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of a grid for a root: each rank sends it the blocks of its bands. */
#include "algorithm/estimate.h"
#include "compute/kernels.h"
#include "outer/algorithm/grid.h"
#include "outer/algorithm/root.h"

/* The others send chains, which the root adds to its result; else final elements, which it
 * copies. The same on all ranks. */
static bool sends_chains(const struct summand__call *call)
{
    return call->outer->beta != 0;
}

/* Elements of a rank's blocks in the layers before `l`. */
static size_t elements_before(const struct summand__call *call, int rank, int l)
{
    size_t elements = 0;
    for (int i = 0; i < l; i++) {
        const struct summand__outer_block block = summand__outer_grid_block(call, i, rank);
        elements += block.rows * block.columns;
    }
    return elements;
}

static size_t elements_of(const struct summand__call *call, int rank)
{
    return elements_before(call, rank, call->outer->layers);
}

void summand__outer_grid_root_begin(const struct summand__outer_build *build,
                                    struct summand__outer_grid_rooted *rooted)
{
    const struct summand__call *call = build->call;
    const bool root = call->rank == call->root;
    size_t made[2] = {0, 0}, received = 0;
    struct summand__outer_grid_band band;
    for (int q = 0; q < summand__outer_grid_bands(call); q++) {
        summand__outer_grid_cut(call, q, &band);
        size_t own = elements_of(&band.call, call->rank), all = 0;
        for (int l = 0; l < band.shape.layers; l++)
            all += band.layer[l].rows * band.layer[l].columns;
        if (!root && own > made[q % 2])
            made[q % 2] = own;
        if (root && all - own > received)
            received = all - own;
    }
    for (int i = 0; i < 2; i++)
        rooted->made[i] =
            summand__add_place(build->schedule, SUMMAND__TEMPORARY, build->result, made[i]);
    rooted->received =
        summand__add_place(build->schedule, SUMMAND__TEMPORARY, build->result, received);
}

void summand__outer_grid_root_product(const struct summand__outer_grid_band *band,
                                      const struct summand__outer_build *build, int l,
                                      const struct summand__outer_factors *factors, size_t from,
                                      size_t rows)
{
    const struct summand__call *call = &band->call;
    const struct summand__outer_block block = summand__outer_grid_block(call, l, call->rank);
    const size_t ldg = band->layer[l].ldg;
    if (call->rank == call->root)
        summand__outer_product(build, factors, summand__outer_place(l, SUMMAND__OUTER_G),
                               (band->row[l] + block.row + from) * ldg + block.column, ldg, rows,
                               block.columns, true, true);
    else
        summand__outer_product(build, factors, band->rooted->made[band->number % 2],
                               elements_before(call, call->rank, l) + from * block.columns,
                               block.columns, rows, block.columns, true, !sends_chains(call));
}

/* Takes the blocks of a rank, from element `at` of the received ones on. */
static void take(const struct summand__outer_grid_band *band, int rank, size_t at)
{
    for (int l = 0; l < band->shape.layers; l++) {
        struct summand__outer_block block = summand__outer_grid_block(&band->call, l, rank);
        const size_t ldg = band->layer[l].ldg, from = at + elements_before(&band->call, rank, l);
        block.row += band->row[l];
        if (sends_chains(&band->call))
            summand__outer_root_apply(&band->build, band->rooted->received, from, l, &block, false);
        else if (block.rows && block.columns)
            summand__compute(band->build.schedule, summand__kernel_named("pack"),
                             summand__tile(band->rooted->received, from, block.rows, block.columns,
                                           block.columns),
                             (struct summand__tile){0},
                             summand__tile(summand__outer_place(l, SUMMAND__OUTER_G),
                                           block.row * ldg + block.column, block.rows,
                                           block.columns, ldg),
                             false);
    }
}

void summand__outer_grid_root_collect(const struct summand__outer_grid_band *band)
{
    const struct summand__call *call = &band->call;
    struct summand__schedule *schedule = band->build.schedule;
    const bool root = call->rank == call->root;
    size_t at = 0;
    summand__round(schedule);
    if (!root)
        summand__send(schedule, call->root,
                      summand__region((enum summand__place)band->rooted->made[band->number % 2], 0,
                                      elements_of(call, call->rank)));
    for (int r = 0; r < call->ranks && root; r++) {
        const size_t elements = r == call->root ? 0 : elements_of(call, r);
        if (elements)
            summand__recv(
                schedule, r,
                summand__region((enum summand__place)band->rooted->received, at, elements));
        at += elements;
    }
    summand__round(schedule);
    at = 0;
    for (int r = 0; r < call->ranks && root; r++) {
        if (r == call->root)
            continue;
        take(band, r, at);
        at += elements_of(call, r);
    }
}

struct summand__cost summand__outer_grid_root_cost(const struct summand__call *call)
{
    struct summand__cost cost = {.depth = 0};
    for (int r = 0; r < call->ranks; r++) {
        const size_t elements = r == call->root ? 0 : elements_of(call, r);
        cost.messages += elements > 0;
        cost.elements += elements;
    }
    cost.depth = cost.messages > 0;
    return cost;
}

double summand__outer_grid_root_seconds(const struct summand__call *call, double bytes,
                                        const struct summand__model *model)
{
    return summand__outer_to_root_seconds(call, call->ranks - 1, 1, bytes, model);
}

double summand__outer_grid_root_taking(const struct summand__call *call, double bytes,
                                       const struct summand__model *model)
{
    const double elements = bytes / (double)summand__outer_result_size(call->outer->type);
    return sends_chains(call) ? summand__work_time(model, 2 * elements, 3 * bytes, false)
                              : 2 * bytes * model->copy_byte;
}
