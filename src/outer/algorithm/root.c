/* SPDX-License-Identifier: BSD-3-Clause */
#include "outer/algorithm/root.h"

#include "algorithm/estimate.h"
#include "outer/algorithm/kernels.h"

/* Whether the root receives rows beside the result, which is then updated by them: a message brings
 * whole rows without gaps. The others send chains then, else final rows. The same on all ranks. */
static bool is_apart(const struct summand__outer_shape *shape)
{
    return shape->beta != 0 || !shape->dense;
}

static size_t elements_of(const struct summand__call *call, int l, int rank)
{
    struct summand__outer_block block = summand__outer_made(call, l, rank);
    return block.rows * block.columns;
}

void summand__outer_root_begin(const struct summand__outer_build *build,
                               struct summand__outer_rooted *rooted)
{
    const struct summand__call *call = build->call;
    const bool root = call->rank == call->root;
    rooted->place = build->room;
    for (int l = 0; l < build->shape->layers; l++) {
        const struct summand__outer_layer *layer = &build->shape->layer[l];
        size_t own = elements_of(call, l, call->rank), all = layer->rows * layer->columns;
        size_t count = !root ? own : is_apart(build->shape) ? all - own : 0;
        rooted->place = summand__outer_room(build, count, &rooted->first[l]);
    }
}

void summand__outer_root_product(const struct summand__outer_build *build,
                                 const struct summand__outer_rooted *rooted, int l,
                                 const struct summand__outer_factors *factors,
                                 const struct summand__outer_block *part)
{
    const struct summand__call *call = build->call;
    const size_t ldg = build->shape->layer[l].ldg, columns = build->shape->layer[l].columns;
    struct summand__outer_build others = *build;
    if (call->rank == call->root) {
        summand__outer_product(build, factors, summand__outer_place(l, SUMMAND__OUTER_G),
                               part->row * ldg + part->column, ldg, part->rows, part->columns, true,
                               true);
        return;
    }
    others.partial = true; /* the rows are not the caller's */
    summand__outer_product(
        &others, factors, rooted->place,
        rooted->first[l] + (part->row - summand__outer_made(call, l, call->rank).row) * columns +
            part->column,
        columns, part->rows, part->columns, true, !is_apart(build->shape));
}

/* The first row of a rank's block among those that the root receives. */
static size_t received_before(const struct summand__call *call, int l, int rank)
{
    struct summand__outer_block own = summand__outer_made(call, l, call->root);
    struct summand__outer_block block = summand__outer_made(call, l, rank);
    return block.row > own.row ? block.row - own.rows : block.row;
}

static struct summand__region received(const struct summand__outer_build *build,
                                       const struct summand__outer_rooted *rooted, int l, int rank)
{
    const struct summand__call *call = build->call;
    const size_t columns = build->shape->layer[l].columns, count = elements_of(call, l, rank);
    return is_apart(build->shape)
               ? summand__region((enum summand__place)rooted->place,
                                 rooted->first[l] + received_before(call, l, rank) * columns, count)
               : summand__region((enum summand__place)summand__outer_place(l, SUMMAND__OUTER_G),
                                 summand__outer_made(call, l, rank).row * columns, count);
}

void summand__outer_root_apply(const struct summand__outer_build *build, uint32_t place,
                               size_t from, int l, const struct summand__outer_block *block,
                               bool tells)
{
    const struct summand__outer_shape *shape = build->shape;
    const size_t ldg = shape->layer[l].ldg;
    const struct summand__computation what = {.kernel = &summand__outer_applies[shape->type],
                                              .begins = shape->beta == 0,
                                              .alpha = shape->alpha,
                                              .beta = shape->beta,
                                              .tells = tells};
    if (block->rows && block->columns)
        summand__compute_as(build->schedule, &what,
                            summand__tile(place, from, block->rows, block->columns, block->columns),
                            (struct summand__tile){0},
                            summand__tile(summand__outer_place(l, SUMMAND__OUTER_G),
                                          block->row * ldg + block->column, block->rows,
                                          block->columns, ldg));
}

/* Updates rows [row, end) of the result, by received rows from `received` on. */
static void apply(const struct summand__outer_build *build,
                  const struct summand__outer_rooted *rooted, int l, size_t received, size_t row,
                  size_t end)
{
    const size_t columns = build->shape->layer[l].columns;
    const struct summand__outer_block rows = {row, end - row, 0, columns};
    summand__outer_root_apply(build, rooted->place, rooted->first[l] + received * columns, l, &rows,
                              true);
}

void summand__outer_root_collect(const struct summand__outer_build *build,
                                 const struct summand__outer_rooted *rooted)
{
    const struct summand__call *call = build->call;
    const bool root = call->rank == call->root;
    summand__round(build->schedule);
    for (int l = 0; l < build->shape->layers; l++)
        for (int r = 0; r < call->ranks; r++)
            if (root && r != call->root)
                summand__recv(build->schedule, r, received(build, rooted, l, r));
            else if (!root && r == call->rank)
                summand__send(build->schedule, call->root,
                              summand__region((enum summand__place)rooted->place, rooted->first[l],
                                              elements_of(call, l, r)));
    summand__round(build->schedule);
    for (int l = 0; l < build->shape->layers && root && is_apart(build->shape); l++) {
        const struct summand__outer_block own = summand__outer_made(call, l, call->root);
        const size_t end = own.row + own.rows;
        apply(build, rooted, l, 0, 0, own.row);
        apply(build, rooted, l, own.row, end, build->shape->layer[l].rows);
    }
}

struct summand__cost summand__outer_root_cost(const struct summand__call *call)
{
    struct summand__cost cost = {.depth = 0};
    for (int l = 0; l < call->outer->layers; l++)
        for (int r = 0; r < call->ranks; r++) {
            const size_t elements = r == call->root ? 0 : elements_of(call, l, r);
            cost.messages += elements > 0;
            cost.elements += elements;
        }
    cost.depth = cost.messages > 0;
    return cost;
}

double summand__outer_to_root_seconds(const struct summand__call *call, double ranks,
                                      double messages, double bytes,
                                      const struct summand__model *model)
{
    const double near = ranks < model->per_node ? ranks : model->per_node;
    const struct summand__burst burst = {.reach = summand__reach_of(model, call->ranks),
                                         .sends = messages,
                                         .receives = messages * ranks,
                                         .queue =
                                             messages * (ranks > near ? ranks - near + 1 : ranks),
                                         .bytes = messages > 0 ? bytes / (messages * ranks) : 0};
    return call->ranks > 1 && ranks > 0 && bytes > 0 ? summand__burst_time(model, &burst) : 0;
}

double summand__outer_root_seconds(const struct summand__call *call,
                                   const struct summand__model *model)
{
    const struct summand__outer_shape *shape = call->outer;
    const double size = (double)summand__outer_result_size(shape->type), ranks = call->ranks;
    double elements = 0, most = 0;
    for (int l = 0; l < shape->layers; l++) {
        const double rows = (double)shape->layer[l].rows;
        elements += rows * (double)shape->layer[l].columns;
        most = rows > most ? rows : most;
    }
    elements *= 1 - 1 / ranks;
    double time = summand__outer_to_root_seconds(call, (most < ranks ? most : ranks) - 1,
                                                 shape->layers, elements * size, model);
    if (is_apart(shape))
        time += summand__work_time(model, 2 * elements, 3 * elements * size, false);
    return time;
}
