/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates the time of slices: the exchanges and products of slices.c on a model. */
#include "algorithm/estimate.h"
#include "outer/algorithm/overlap.h"
#include "outer/algorithm/parcels.h"
#include "outer/algorithm/root.h"
#include "outer/algorithm/slices.h"

/* Ranks whose blocks are not empty. */
static double takers_of(const struct summand__call *call)
{
    const struct summand__outer_shape *shape = call->outer;
    if (summand__outer_is_parcels(call)) /* a rank that sends none still receives as many */
        return call->ranks;
    bool grid = shape->result == SUMMAND__OUTER_BLOCKS;
    size_t pr = (size_t)(grid ? shape->grid_rows : call->ranks), rows = 0;
    size_t pc = (size_t)(grid ? shape->grid_columns : 1), columns = 0;
    for (int l = 0; l < shape->layers; l++) {
        rows = shape->layer[l].rows > rows ? shape->layer[l].rows : rows;
        columns = shape->layer[l].columns > columns ? shape->layer[l].columns : columns;
    }
    return (double)(rows < pr ? rows : pr) * (double)(columns < pc ? columns : pc);
}

/* One or two messages from each other rank, with so many elements of a pair in all; and as many to
 * each rank that takes any. */
static double exchange_time(const struct summand__call *call, double elements, int messages,
                            const struct summand__model *model)
{
    const struct summand__outer_shape *shape = call->outer;
    double others = call->ranks - 1;
    double bytes = (double)shape->pairs[call->ranks] * elements *
                   (double)summand__outer_factor_size(shape->type) / call->ranks / messages;
    int partners = messages * (call->ranks - 1) + 1;
    if (bytes <= 0 || others <= 0)
        return 0;
    if (call->ranks <= model->per_node)
        return summand__direct_time(model, partners, partners, bytes * partners).gather;
    const struct summand__encounter encounter = {.ranks = call->ranks,
                                                 .span = call->ranks,
                                                 .distance = 1,
                                                 .stride = 1,
                                                 .partners = messages * others,
                                                 .more = messages * (takers_of(call) - call->ranks),
                                                 .bytes = bytes};
    return summand__encounter_time(model, &encounter);
}

/* Assumes that all parcels are as long as the busiest rank's; a rank's own parcel is copied. */
static double parcels_time(const struct summand__call *call, const struct summand__model *model)
{
    const struct summand__outer_shape *shape = call->outer;
    const double all = (double)shape->pairs[call->ranks], busiest = (double)shape->busiest;
    const double time = summand__outer_copy_seconds(shape, (double)shape->kept, model) +
                        summand__outer_packing_seconds(shape, model);
    if (all <= 0 || call->ranks == 1)
        return time;
    return time + exchange_time(call, busiest / (call->ranks - 1) * call->ranks / all, 1, model);
}

/* Products of one part of each factor. */
static double product_time(const struct summand__call *call, int rank,
                           const struct summand__outer_order *order,
                           const struct summand__model *model)
{
    const struct summand__outer_shape *shape = call->outer;
    double time = 0;
    for (int l = 0; l < shape->layers; l++) {
        struct summand__outer_block block = summand__outer_made(call, l, rank);
        time += summand__outer_seconds(shape, (double)block.rows / (double)order->parts[0],
                                       (double)block.columns / (double)order->parts[1],
                                       (double)shape->pairs[call->ranks], model);
    }
    return time;
}

/* Slices and products of a rank. */
static double slices_time(const struct summand__call *call, int rank,
                          const struct summand__model *model)
{
    struct summand__outer_order order = summand__outer_order_of(call);
    struct summand__outer_need need = summand__outer_need_of(call, rank);
    double part[2] = {(double)need.a / (double)order.parts[0],
                      (double)need.b / (double)order.parts[1]};
    double product = product_time(call, rank, &order, model), made = product;
    double time = exchange_time(call, part[0] + part[1], 2, model) +
                  summand__outer_ahead(call, takers_of(call), need.a + need.b,
                                       order.parts[0] + order.parts[1] - 1, model);
    while (summand__outer_order_next(&order)) {
        time +=
            summand__outer_both(call, exchange_time(call, part[order.last], 1, model), made, model);
        made = product * (double)order.seen[!order.last];
    }
    return time + made;
}

double summand__outer_slices_estimate(const struct summand__algorithm *algorithm,
                                      const struct summand__call *call, size_t element,
                                      const struct summand__model *model)
{
    (void)algorithm;
    (void)element;
    const struct summand__outer_shape *shape = call->outer;
    if (summand__outer_is_parcels(call))
        return parcels_time(call, model);
    /* the last rank of the grid has the largest block */
    bool grid = shape->result == SUMMAND__OUTER_BLOCKS;
    int last = grid ? shape->grid_rows * shape->grid_columns - 1 : call->ranks - 1;
    struct summand__outer_need need = summand__outer_need_of(call, last);
    double copied =
        (double)shape->pairs[call->ranks] / call->ranks * (double)(shape->width + need.a + need.b);
    double time =
        slices_time(call, last, model) + summand__outer_copy_seconds(shape, copied, model);
    bool gathers = shape->result == SUMMAND__OUTER_ALL && call->ranks > 1;
    for (int l = 0; l < shape->layers && gathers; l++)
        time += summand__outer_spread_seconds(call, l, false, model);
    if (summand__outer_is_rooted(call) && call->ranks > 1)
        time += summand__outer_root_seconds(call, model);
    return time;
}
