/* SPDX-License-Identifier: BSD-3-Clause */
/* Pipeline: as gather.c, in parts. While a part is gathered, ranks compute the product of the part
 * before.
 *
 * How: the rows of all results together are cut into parts. A part has the columns of a for its
 *   rows, and all of b of the matrices that begin in it. Each rank computes the rows of a part
 *   during the allgather of the next part.
 * When: whole results whose factors take about as long to gather as the product: many matrices in
 *   one call, or one that has few elements for each pair; between nodes.
 * Cost: that of the allgathers, of L (N + M) elements in all; 2 N M L operations, of which only
 *   those of the last part wait for all messages.
 * Restrictions: memory for L (N + M) elements.
 * Source: the overlap of the future work of Enderlin et al., "Distributed sum of outer products"
 *   (ETH). */
#include <stdlib.h>

#include "outer/algorithm/overlap.h"

/* Parts of rows: at most one for each row. */
struct cut {
    const struct summand__outer_shape *shape;
    size_t rows, parts;
};

/* The share of a layer in a part: its rows from `first` on; the positions of a's columns for these
 * rows and of b among the part's columns. A symmetric layer lies wholly in the part in which it
 * `begins`. */
struct piece {
    size_t first, rows, a, b;
    bool begins;
};

static struct cut cut_of(const struct summand__outer_shape *shape)
{
    struct cut cut = {.shape = shape, .parts = shape->parts > 1 ? (size_t)shape->parts : 1};
    for (int l = 0; l < shape->layers; l++)
        cut.rows += shape->layer[l].rows;
    if (cut.parts > cut.rows)
        cut.parts = cut.rows ? cut.rows : 1;
    return cut;
}

/* The last part is half as long, because no messages overlap with its product. */
static size_t first_row(const struct cut *cut, size_t part)
{
    return part == cut->parts ? cut->rows : summand__cut(cut->rows, 2 * part, 2 * cut->parts - 1);
}

/* The share of layer l, whose first row is `base`, in rows [from, to) of all layers. */
static struct piece piece_between(const struct summand__outer_layer *layer, size_t base,
                                  size_t from, size_t to)
{
    size_t first = from > base ? from - base : 0, end = to > base ? to - base : 0;
    if (end > layer->rows)
        end = layer->rows;
    return end > first ? (struct piece){.first = first, .rows = end - first, .begins = !first}
                       : (struct piece){.rows = 0};
}

/* Columns of a part before layer `l`, and that layer's share; l = layers: all columns. */
static size_t columns_before(const struct cut *cut, size_t part, int l, struct piece *piece)
{
    const struct summand__outer_shape *shape = cut->shape;
    size_t base = 0, column = 0, from = first_row(cut, part), to = first_row(cut, part + 1);
    for (int i = 0; i <= l && i < shape->layers; i++) {
        const struct summand__outer_layer *layer = &shape->layer[i];
        struct piece of = piece_between(layer, base, from, to);
        size_t b = of.begins && !layer->symmetric ? layer->columns : 0;
        of.b = column;
        of.a = column + b;
        if (i == l)
            *piece = of;
        else if (!layer->symmetric)
            column += b + of.rows;
        else
            column += of.begins ? layer->rows : 0;
        base += layer->rows;
    }
    return column;
}

static size_t width_of(const struct cut *cut, size_t part)
{
    return columns_before(cut, part, cut->shape->layers, NULL);
}

/* Elements of all pairs in the parts before. */
static size_t elements_before(const struct cut *cut, size_t part, size_t pairs)
{
    size_t width = 0;
    for (size_t p = 0; p < part; p++)
        width += width_of(cut, p);
    return pairs * width;
}

static void pack(const struct summand__outer_build *build, const struct cut *cut, uint32_t place)
{
    const struct summand__outer_shape *shape = build->shape;
    size_t all = shape->pairs[build->call->ranks], before = shape->pairs[build->call->rank];
    for (size_t part = 0; part < cut->parts; part++) {
        size_t width = width_of(cut, part);
        size_t at = elements_before(cut, part, all) + before * width;
        for (int l = 0; l < shape->layers; l++) {
            const struct summand__outer_layer *layer = &shape->layer[l];
            struct piece piece;
            columns_before(cut, part, l, &piece);
            if (layer->symmetric && piece.begins)
                piece.rows = layer->rows;
            if (!layer->symmetric || piece.begins)
                summand__outer_pack(build, l, SUMMAND__OUTER_A, piece.first, piece.rows, place,
                                    at + piece.a, width);
            if (!layer->symmetric && piece.begins)
                summand__outer_pack(build, l, SUMMAND__OUTER_B, 0, layer->columns, place,
                                    at + piece.b, width);
        }
    }
}

struct products {
    const struct cut *cut;
    uint32_t place;
    size_t part;
};

/* The part in which a layer begins. */
static size_t begin_of(const struct cut *cut, int l, struct piece *piece)
{
    size_t part = 0;
    for (columns_before(cut, 0, l, piece); !piece->begins && part + 1 < cut->parts;)
        columns_before(cut, ++part, l, piece);
    return part;
}

/* Computes the rows of layer l that came with `part`. */
static void multiply_piece(const struct summand__outer_build *build,
                           const struct products *products, int l, const struct piece *rows)
{
    const struct cut *cut = products->cut;
    const struct summand__outer_layer *layer = &build->shape->layer[l];
    size_t all = build->shape->pairs[build->call->ranks];
    struct piece first, own;
    size_t begin = begin_of(cut, l, &first), of_a = layer->symmetric ? begin : products->part;
    columns_before(cut, of_a, l, &own);
    const struct summand__outer_factors factors = {.place_a = products->place,
                                                   .place_b = products->place,
                                                   .a = elements_before(cut, of_a, all) + own.a +
                                                        rows->first - own.first,
                                                   .b = elements_before(cut, begin, all) + first.b,
                                                   .pitch_a = width_of(cut, of_a),
                                                   .pitch_b = width_of(cut, begin),
                                                   .count = all};
    summand__outer_product(build, &factors, summand__outer_place(l, SUMMAND__OUTER_G),
                           rows->first * layer->ldg, layer->ldg, rows->rows, layer->columns, true,
                           true);
}

static void multiply(const struct summand__outer_build *build, const void *context, size_t first,
                     size_t rows)
{
    const struct products *products = context;
    size_t from = first_row(products->cut, products->part) + first, base = 0;
    for (int l = 0; l < build->shape->layers; l++) {
        const struct summand__outer_layer *layer = &build->shape->layer[l];
        struct piece piece = piece_between(layer, base, from, from + rows);
        if (piece.rows)
            multiply_piece(build, products, l, &piece);
        base += layer->rows;
    }
}

static size_t rows_of(const struct cut *cut, size_t part)
{
    return first_row(cut, part + 1) - first_row(cut, part);
}

/* The allgather of a part; `offsets` has room for the ranks and one more. */
static struct summand__call gather_of(const struct summand__call *call, const struct cut *cut,
                                      size_t part, size_t *offsets)
{
    struct summand__call gather = summand__outer_gather(call);
    size_t width = width_of(cut, part);
    for (int r = 0; r <= call->ranks; r++)
        offsets[r] = call->outer->pairs[r] * width;
    gather.offsets = offsets;
    return gather;
}

static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    (void)algorithm;
    struct summand__outer_build all = summand__outer_begin(call, schedule);
    struct cut cut = cut_of(call->outer);
    size_t pairs = call->outer->pairs[call->ranks];
    size_t *offsets = malloc(((size_t)call->ranks + 1) * sizeof *offsets);
    struct products products = {&cut, 0, 0};
    schedule->failed = schedule->failed || !offsets;
    products.place = summand__add_place(schedule, SUMMAND__TEMPORARY, all.unit,
                                        elements_before(&cut, cut.parts, pairs));
    pack(&all, &cut, products.place);
    for (size_t part = 0; part < cut.parts && !schedule->failed; part++) {
        struct summand__call gather = gather_of(call, &cut, part, offsets);
        struct summand__outer_rows rows = {multiply, &products, 0};
        if (part) {
            products.part = part - 1;
            rows.rows = rows_of(&cut, part - 1);
        }
        summand__outer_overlap(&all, &call->outer->gather, &gather, products.place,
                               elements_before(&cut, part, pairs), &rows);
    }
    free(offsets);
    products.part = cut.parts - 1;
    multiply(&all, &products, 0, rows_of(&cut, products.part));
}

static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)algorithm;
    struct cut cut = cut_of(call->outer);
    size_t *offsets = malloc(((size_t)call->ranks + 1) * sizeof *offsets);
    struct summand__cost cost = {.unknown = !offsets};
    for (size_t part = 0; offsets && part < cut.parts; part++) {
        struct summand__call gather = gather_of(call, &cut, part, offsets);
        cost = summand__outer_add(cost,
                                  summand__outer_part_cost(&call->outer->gather, &gather, depth));
    }
    free(offsets);
    return cost;
}

/* Assumes blocks of equal length on all ranks. */
static double gather_time(const struct summand__call *call, const struct cut *cut, size_t part,
                          const struct summand__model *model)
{
    const struct summand__outer_shape *shape = call->outer;
    struct summand__call gather = summand__outer_gather(call);
    size_t elements = shape->pairs[call->ranks] * width_of(cut, part);
    gather.collective = SUMMAND__COLL_ALLGATHER;
    gather.count = (elements + (size_t)call->ranks - 1) / (size_t)call->ranks;
    return call->ranks > 1 ? summand__estimate_of(shape->gather.algorithm, &gather,
                                                  summand__outer_factor_size(shape->type), model)
                           : 0;
}

static double product_time(const struct summand__call *call, const struct cut *cut, size_t part,
                           const struct summand__model *model)
{
    const struct summand__outer_shape *shape = call->outer;
    double time = 0, pairs = (double)shape->pairs[call->ranks];
    for (int l = 0; l < shape->layers; l++) {
        struct piece piece;
        columns_before(cut, part, l, &piece);
        time += summand__outer_seconds(shape, (double)piece.rows, (double)shape->layer[l].columns,
                                       pairs, model);
    }
    return time;
}

static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    (void)algorithm;
    (void)element;
    const struct summand__outer_shape *shape = call->outer;
    struct cut cut = cut_of(shape);
    double own = (double)shape->pairs[call->ranks] / call->ranks * (double)shape->width;
    double time = summand__outer_copy_seconds(shape, own, model), product = 0;
    for (size_t part = 0; part < cut.parts; part++) {
        time += summand__outer_both(call, gather_time(call, &cut, part, model), product, model);
        product = product_time(call, &cut, part, model);
    }
    return time + product;
}

static bool applicable(const struct summand__call *call)
{
    const struct summand__outer_shape *shape = call->outer;
    return shape && shape->result == SUMMAND__OUTER_ALL && shape->parts > 1 &&
           shape->gather.algorithm && summand__outer_takes(shape, SUMMAND__OUTER_BY_GATHER);
}

const struct summand__algorithm summand__outer_pipeline = {
    .name = "outer-pipeline",
    .description =
        "factors to all ranks in parts; ranks multiply a part while the next one is gathered",
    .source = "ours; Enderlin et al., ETH (future work)",
    .promises = SUMMAND__PAIR_ORDER | SUMMAND__SAME_BITS,
    .applicable = applicable,
    .build = {[SUMMAND__COLL_OUTER] = build},
    .cost = cost,
    .estimate = estimate,
    .outer_number = {.at = offsetof(struct summand__outer_shape, parts), .least = 2, .whole = true},
};
