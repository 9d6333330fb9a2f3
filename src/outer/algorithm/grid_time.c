/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates the time of a grid: the stages of grid.c on a model. */
#include <string.h>

#include "algorithm/estimate.h"
#include "outer/algorithm/grid.h"
#include "outer/algorithm/overlap.h"
#include "outer/algorithm/root.h"

static size_t rounds_of(const struct summand__call *call, enum summand__outer_line_kind kind)
{
    const struct summand__outer_part *part = &call->outer->line[kind];
    int rank = summand__outer_longest_line(call, kind);
    struct summand__call gather = {.collective = SUMMAND__COLL_ALLGATHER,
                                   .ranks = summand__outer_line_of(call, kind, rank).ranks,
                                   .in_place = true,
                                   .count = 1};
    memcpy(gather.parameter, part->parameter, sizeof gather.parameter);
    size_t rounds = gather.ranks > 1 ? summand__cost_of(part->algorithm, &gather).depth : 1;
    return rounds ? rounds : 1;
}

/* A model, and the rounds of a gather of each kind. Rounds are the same in all bands and layers. */
struct timing {
    const struct summand__model *model;
    size_t rounds[SUMMAND__OUTER_LINE_KINDS];
};

static struct timing timing_of(const struct summand__call *call, const struct summand__model *model)
{
    struct timing timing = {.model = model};
    int last = summand__outer_grid_whole(call) ? SUMMAND__OUTER_LINE_STRIPS : SUMMAND__OUTER_LINE_B;
    for (int kind = 0; kind <= last; kind++)
        timing.rounds[kind] = rounds_of(call, (enum summand__outer_line_kind)kind);
    return timing;
}

/* Additional seconds if only one factor is exchanged. Ranks whose slices are empty wait for no
 * exchange, and begin the gather of the other factor. If these messages do not wait for their
 * receivers either, they share cards with those of the exchange. A gather of several rounds has
 * only a part of its messages in the first round. */
static double ahead_time(const struct summand__call *call,
                         const struct summand__outer_grid_side side[2], const double bytes[2],
                         const struct timing *timing)
{
    const struct summand__model *model = timing->model;
    int s = side[0].exchange.ranks > 1 ? 0 : 1, ranks = side[s].exchange.ranks, idle = 0;
    const struct summand__outer_part *part = &call->outer->line[side[!s].along];
    if (side[!s].exchange.ranks > 1 || !part->algorithm || model->fair_card <= 0 ||
        call->ranks <= model->per_node)
        return 0;
    for (int m = 0; m < ranks; m++)
        idle += !summand__outer_slice(call, side[s].which, m);
    double first = bytes[s] / ranks, next = bytes[!s] / ranks;
    if (!idle || first > model->eager || next > model->eager)
        return 0;
    return (first < next ? first : next) * idle / (double)timing->rounds[side[!s].along] *
           model->level[SUMMAND__NETWORK].byte;
}

/* Elements of a pair that ranks cut for others. */
static double packed_of(const struct summand__outer_shape *shape, int sides)
{
    double packed = 0;
    for (int l = 0; l < shape->layers; l++)
        packed += (double)shape->layer[l].rows + (sides > 1 ? (double)shape->layer[l].columns : 0);
    return packed;
}

/* Products of the blocks of all layers, one after the other, as in grid.c: the end row of each
 * block, and its columns. */
struct products {
    const struct summand__outer_shape *shape;
    double pairs;
    size_t end[SUMMAND__OUTER_LAYERS], columns[SUMMAND__OUTER_LAYERS];
};

/* The phases of a stage: slices are exchanged and gathered, blocks and strips of another band are
 * gathered. A rank that copies computes no products meanwhile. */
enum { EXCHANGE, SLICES, BLOCKS, STRIPS, PHASES };
struct stage {
    struct summand__outer_phase phase[PHASES];
    double copies;
    struct products products;
    size_t rows; /* of products */
};

/* Whether a line lies within a node. */
static bool is_near(const struct summand__call *call, enum summand__outer_line_kind kind,
                    const struct summand__model *model)
{
    const struct summand__outer_line line =
        summand__outer_line_of(call, kind, summand__outer_longest_line(call, kind));
    return line.ranks <= summand__outer_line_model(call, kind, model).per_node;
}

/* Seconds in which a rank receives so many bytes of each factor from the others of its row and of
 * its column. On nodes of several ranks, those of a row and of a column are not equally far. */
static double exchange_time(const struct summand__call *call,
                            const struct summand__outer_grid_side *side, int sides,
                            const double *bytes, const struct summand__model *model)
{
    double all = 0, time[2] = {0, 0};
    bool near[2] = {false, false};
    int partners = 1;
    for (int s = 0; s < sides; s++) {
        const int ranks = side[s].exchange.ranks;
        const struct summand__model seen = summand__outer_line_model(call, side[s].across, model);
        partners += ranks - 1;
        all += bytes[s];
        near[s] = is_near(call, side[s].across, model);
        if (ranks > 1 && bytes[s] > 0)
            time[s] =
                summand__direct_time(&seen, ranks, ranks, bytes[s] / (ranks - 1) * ranks).gather;
    }
    if (partners == 1 || all <= 0)
        return 0;
    if (model->per_node <= 1 || call->ranks <= model->per_node)
        return summand__direct_time(model, partners, partners, all / (partners - 1) * partners)
            .gather;
    const double longer = time[0] > time[1] ? time[0] : time[1];
    if (time[0] <= 0 || time[1] <= 0 || near[0] != near[1])
        return longer;
    return time[0] + time[1] - model->level[SUMMAND__NETWORK].latency;
}

/* Adds the slices of both factors, or of a alone. Both travel at once: their latencies count once,
 * and their bytes add up if they share a card. */
static void add_slices(const struct summand__call *call, int sides, struct stage *stage,
                       const struct timing *timing)
{
    const struct summand__model *model = timing->model;
    const struct summand__outer_shape *shape = call->outer;
    double unit = (double)summand__outer_factor_size(shape->type), direct = 0;
    double time[2] = {0, 0}, bytes[2] = {0, 0}, received[2] = {0, 0};
    double pairs = (double)shape->pairs[call->ranks],
           copied = packed_of(shape, sides) / call->ranks;
    struct summand__outer_grid_side side[2];
    for (int s = 0; s < sides; s++) {
        side[s] = summand__outer_grid_side_of(call, s ? SUMMAND__OUTER_B : SUMMAND__OUTER_A,
                                              call->ranks - 1);
        copied += summand__outer_grid_in_order(&side[s]) ? 0 : (double)side[s].width;
        bytes[s] = pairs * (double)side[s].width * unit;
        time[s] = summand__outer_line_time(call, side[s].along, bytes[s], model);
        received[s] = bytes[s] / side[s].gather.ranks * (1 - 1.0 / side[s].exchange.ranks);
        direct += received[s];
        stage->phase[SLICES].moved += bytes[s] * (1 - 1.0 / side[s].gather.ranks);
    }
    double less = bytes[0] < bytes[1] ? bytes[0] : bytes[1];
    double longer = time[0] > time[1] ? time[0] : time[1];
    if (time[0] > 0 && time[1] > 0 &&
        is_near(call, side[0].along, model) == is_near(call, side[1].along, model))
        longer += less * model->level[summand__reach_of(model, call->ranks)].byte;
    stage->phase[SLICES].seconds = longer + (sides > 1 ? ahead_time(call, side, bytes, timing) : 0);
    stage->phase[SLICES].rounds = timing->rounds[side[time[1] > time[0]].along];
    stage->copies += summand__outer_copy_seconds(shape, pairs * copied, model);
    stage->phase[EXCHANGE].seconds = exchange_time(call, side, sides, received, model);
    stage->phase[EXCHANGE].rounds = 1;
    stage->phase[EXCHANGE].moved = direct;
}

static void add_products(const struct summand__call *call, struct stage *stage)
{
    const struct summand__outer_shape *shape = call->outer;
    stage->products.pairs = (double)shape->pairs[call->ranks];
    for (int l = 0; l < shape->layers; l++) {
        struct summand__outer_block block = summand__outer_grid_block(call, l, call->ranks - 1);
        stage->rows += block.rows;
        stage->products.end[l] = stage->rows;
        stage->products.columns[l] = block.columns;
    }
}

static double products_seconds(const void *context, size_t first, size_t rows,
                               const struct summand__model *model)
{
    const struct products *products = context;
    double time = 0;
    for (int l = 0; l < products->shape->layers && rows; l++) {
        size_t left = products->end[l] > first ? products->end[l] - first : 0;
        size_t piece = rows < left ? rows : left;
        if (piece)
            time += summand__outer_seconds(products->shape, (double)piece,
                                           (double)products->columns[l], products->pairs, model);
        first += piece;
        rows -= piece;
    }
    return time;
}

/* The root receives the blocks of the others, and takes them one after another. */
static void add_root(const struct summand__call *call, double unit, struct stage *stage,
                     const struct summand__model *model)
{
    const struct summand__outer_shape *shape = call->outer;
    double bytes = 0;
    for (int l = 0; l < shape->layers; l++)
        bytes += (double)shape->layer[l].rows * (double)shape->layer[l].columns * unit;
    bytes *= 1 - 1.0 / call->ranks;
    stage->phase[BLOCKS].seconds = summand__outer_grid_root_seconds(call, bytes, model);
    stage->phase[BLOCKS].rounds = 1;
    stage->phase[BLOCKS].moved = bytes;
    stage->copies += summand__outer_grid_root_taking(call, bytes, model);
}

static void add_result(const struct summand__call *call, struct stage *stage,
                       const struct timing *timing)
{
    const struct summand__model *model = timing->model;
    const struct summand__outer_shape *shape = call->outer;
    double unit = (double)summand__outer_result_size(shape->type);
    if (summand__outer_is_rooted(call))
        add_root(call, unit, stage, model);
    if (!summand__outer_grid_whole(call))
        return;
    for (int l = 0; l < shape->layers; l++) {
        struct summand__outer_block block = summand__outer_grid_block(call, l, call->ranks - 1);
        double columns = (double)shape->layer[l].columns * unit;
        double strip = (double)block.rows * columns, whole = (double)shape->layer[l].rows * columns;
        stage->phase[BLOCKS].seconds +=
            summand__outer_line_time(call, SUMMAND__OUTER_LINE_BLOCKS, strip, model);
        stage->phase[STRIPS].seconds +=
            summand__outer_line_time(call, SUMMAND__OUTER_LINE_STRIPS, whole, model);
        stage->phase[BLOCKS].moved += strip * (1 - 1.0 / shape->grid_columns);
        stage->phase[STRIPS].moved += whole * (1 - 1.0 / shape->grid_rows);
        if (shape->grid_columns > 1)
            stage->copies += 2 * strip * model->copy_byte;
    }
    stage->phase[BLOCKS].rounds =
        (size_t)shape->layers * timing->rounds[SUMMAND__OUTER_LINE_BLOCKS];
    stage->phase[STRIPS].rounds =
        (size_t)shape->layers * timing->rounds[SUMMAND__OUTER_LINE_STRIPS];
}

double summand__outer_grid_estimate(const struct summand__algorithm *algorithm,
                                    const struct summand__call *call, size_t element,
                                    const struct summand__model *model)
{
    (void)algorithm;
    (void)element;
    struct stage stage[SUMMAND__OUTER_PARTS + 2] = {{.copies = 0}};
    const struct timing timing = timing_of(call, model);
    int bands = summand__outer_grid_bands(call);
    double time = 0;
    struct summand__outer_grid_band band;
    for (int q = 0; q < bands; q++) {
        summand__outer_grid_cut(call, q, &band);
        if (call->ranks > 1)
            add_slices(&band.call, q ? 1 : 2, &stage[q], &timing);
        add_products(&band.call, &stage[q + 1]);
        add_result(&band.call, &stage[q + 2], &timing);
    }
    for (int s = 0; s < bands + 2; s++) {
        const struct summand__outer_work work = {products_seconds, &stage[s].products,
                                                 stage[s].rows};
        stage[s].products.shape = call->outer;
        time += stage[s].copies + summand__outer_stage(call, PHASES, stage[s].phase, &work, model);
    }
    return time;
}
