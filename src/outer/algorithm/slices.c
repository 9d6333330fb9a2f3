/* SPDX-License-Identifier: BSD-3-Clause */
/* Slices: every rank gets only those slices of all factors that its block of the result needs.
 *
 * How: the result is cut into blocks of rows, or blocks of a grid of pr x pc ranks. Each rank sends
 *   every other rank the slices of its pairs for the other's block, all at once. One product over
 *   all pairs computes the block. For blocks of a grid the slices may travel in parts, of a and of
 *   b in turn. While a part travels, ranks multiply the part before with all arrived parts
 *   of the other factor. Blocks of rows of a whole result are then gathered. The caller packs
 *   factors that are not rows of elements, and gives the length of the slices for each rank
 *   (parcels.h). These travel all at once, without products.
 * When: results in blocks; whole results of too many pairs for a product on every rank, and of too
 *   few for an all-reduce of the result.
 * Cost: p - 1 messages twice from each rank, once more for each further part, (L - K) (N / pr + M /
 *   pc) elements to each, and 2 N M L / p operations; for a whole result that of an allgather of N
 *   M elements.
 * Restrictions: memory for L (N / pr + M / pc) + K (N + M) elements. A whole result must have
 *   contiguous rows on all ranks and, if it is updated, be the same on all.
 * Source: the "all-scatter" of the future work of Enderlin et al. (ETH); with whole factors their
 *   generalized Rabenseifner (rabenseifner.c). */
#include "algorithm/estimate.h"
#include "outer/algorithm/overlap.h"
#include "outer/algorithm/parcels.h"

/* The elements of a pair for a rank's block, over all layers. */
struct need {
    size_t a, b;
};

/* The block that a rank computes; blocks of a whole result are rows. */
static struct summand__outer_block block_of(const struct summand__call *call, int l, int rank)
{
    struct summand__outer_shape rows = *call->outer;
    if (rows.result == SUMMAND__OUTER_ALL)
        rows.result = SUMMAND__OUTER_ROWS;
    return summand__outer_block_of(&rows, &call->outer->layer[l], rank, 0, call->ranks);
}

static struct need need_of(const struct summand__call *call, int rank)
{
    struct need need = {0, 0};
    for (int l = 0; l < call->outer->layers; l++) {
        struct summand__outer_block block = block_of(call, l, rank);
        need.a += block.rows;
        need.b += block.columns;
    }
    return need.a && need.b ? need : (struct need){0, 0};
}

/* A factor's slices of all pairs that this rank takes; and its own pairs, cut for others, block
 * after block. Slices are in parts of rows and of columns. */
struct side {
    enum summand__outer_place which;
    size_t part, parts;
    uint32_t all, own;
    bool whole;       /* all ranks take the same slices, and send them from their place in `all` */
    size_t at, width; /* first element of this rank's slices, and their columns */
};

/* The number of parts, the same on all ranks. Products follow their parts, except for a whole
 * result, whose rows are gathered then. Each factor has `parts`; if one is larger, both together
 * have as many, so that parts are about equally long. */
static size_t parts_of(const struct summand__call *call, enum summand__outer_place which)
{
    const struct summand__outer_shape *shape = call->outer;
    size_t most = SUMMAND__OUTER_PARTS, parts = shape->parts > 0 ? (size_t)shape->parts : 1;
    if (shape->result == SUMMAND__OUTER_ALL || parts < 2)
        return 1;
    bool grid = shape->result == SUMMAND__OUTER_BLOCKS;
    double pr = grid ? shape->grid_rows : call->ranks, pc = grid ? shape->grid_columns : 1;
    double a = 0, b = 0;
    for (int l = 0; l < shape->layers; l++) {
        a += (double)shape->layer[l].rows / pr;
        b += (double)shape->layer[l].columns / pc;
    }
    double share = a + b > 0 ? (which == SUMMAND__OUTER_A ? a : b) / (a + b) : 0;
    size_t of_side = (size_t)(share * 2 * (double)parts + 0.5);
    return of_side < 1 ? 1 : of_side < most ? of_side : most;
}

static struct side side_of(const struct summand__call *call, enum summand__outer_place which,
                           size_t part)
{
    return (struct side){.which = which, .part = part, .parts = parts_of(call, which)};
}

/* Of layer l, the first row or column that a rank takes on a side, and their number. */
static size_t slice_of(const struct summand__call *call, const struct side *side, int l, int rank,
                       size_t *count)
{
    struct summand__outer_block block = block_of(call, l, rank);
    bool a = side->which == SUMMAND__OUTER_A;
    size_t all = a ? block.rows : block.columns, first = summand__cut(all, side->part, side->parts);
    *count = summand__cut(all, side->part + 1, side->parts) - first;
    return (a ? block.row : block.column) + first;
}

static size_t width_of(const struct summand__call *call, const struct side *side, int rank)
{
    size_t width = 0, count;
    for (int l = 0; need_of(call, rank).a && l < call->outer->layers; l++) {
        slice_of(call, side, l, rank, &count);
        width += count;
    }
    return width;
}

/* A rank's columns in the parts before. */
static size_t width_before(const struct summand__call *call, const struct side *side, int rank)
{
    struct side before = *side;
    size_t width = 0;
    for (before.part = 0; before.part < side->part; before.part++)
        width += width_of(call, &before, rank);
    return width;
}

/* Elements of a pair that are cut for others before a rank's slices. */
static size_t cut_before(const struct summand__call *call, const struct side *side, int rank)
{
    size_t before = width_before(call, side, rank);
    for (int l = 0; l < call->outer->layers; l++) {
        struct summand__outer_block block = block_of(call, l, rank);
        before += side->which == SUMMAND__OUTER_A ? block.row : block.column;
    }
    return before;
}

/* Packs this rank's own pairs into the slices of a rank's block, at element `to` of the place. */
static void pack(const struct summand__outer_build *build, const struct side *side, int rank,
                 uint32_t place, size_t to, size_t pitch)
{
    for (int l = 0; l < build->shape->layers; l++) {
        size_t count, first = slice_of(build->call, side, l, rank, &count);
        summand__outer_pack(build, l, side->which, first, count, place, to, pitch);
        to += count;
    }
}

/* True if slices are packed for `rank`. Ranks of a row or column of the grid take the same slices,
 * which are packed for the first of them; after ranks that take none, once more. */
static bool is_first(const struct summand__call *call, const struct side *side, int rank)
{
    bool a = side->which == SUMMAND__OUTER_A;
    int columns = call->outer->result == SUMMAND__OUTER_BLOCKS ? call->outer->grid_columns : 1;
    int before = a ? (rank % columns ? rank - 1 : -1) : rank - columns;
    return width_of(call, side, rank) && (before < 0 || !width_of(call, side, before));
}

/* True if no other rank takes the same slices as this one. */
static bool is_alone(const struct summand__call *call, const struct side *side)
{
    bool grid = call->outer->result == SUMMAND__OUTER_BLOCKS;
    bool a = side->which == SUMMAND__OUTER_A;
    return a ? !grid || call->outer->grid_columns == 1 : grid && call->outer->grid_rows == 1;
}

/* The place of a side's first part also serves its other parts. */
static void prepare(const struct summand__outer_build *build, struct side *side,
                    const struct side *first)
{
    const struct summand__call *call = build->call;
    const struct summand__outer_shape *shape = build->shape;
    struct need need = need_of(call, call->rank);
    size_t pairs = summand__outer_pairs(call, call->rank), all = shape->pairs[call->ranks];
    size_t total = 0, taken = side->which == SUMMAND__OUTER_A ? need.a : need.b;
    for (int l = 0; l < shape->layers; l++)
        total += side->which == SUMMAND__OUTER_A ? shape->layer[l].rows : shape->layer[l].columns;
    side->width = width_of(call, side, call->rank);
    side->at = all * width_before(call, side, call->rank);
    side->whole = taken == total;
    side->all = first->all;
    side->own = first->own;
    if (side == first) {
        side->all =
            summand__add_place(build->schedule, SUMMAND__TEMPORARY, build->unit, all * taken);
        side->own = summand__add_place(build->schedule, SUMMAND__TEMPORARY, build->unit,
                                       side->whole ? 0 : pairs * total);
    }
    if (side->width)
        pack(build, side, call->rank, side->all, side->at + shape->pairs[call->rank] * side->width,
             side->width);
    for (int r = 0; r < call->ranks && !side->whole; r++)
        if (is_first(call, side, r) && !(r == call->rank && is_alone(call, side)))
            pack(build, side, r, side->own, pairs * cut_before(call, side, r),
                 width_of(call, side, r));
}

/* The region that this rank sends to another one. */
static struct summand__region sent(const struct summand__outer_build *build,
                                   const struct side *side, int to)
{
    const struct summand__call *call = build->call;
    size_t pairs = summand__outer_pairs(call, call->rank);
    size_t width = width_of(call, side, to);
    return side->whole ? summand__region((enum summand__place)side->all,
                                         side->at + build->shape->pairs[call->rank] * side->width,
                                         pairs * width)
                       : summand__region((enum summand__place)side->own,
                                         pairs * cut_before(call, side, to), pairs * width);
}

static void exchange(const struct summand__outer_build *build, const struct side *side, int sides)
{
    const struct summand__call *call = build->call;
    const size_t *pairs = build->shape->pairs;
    for (int distance = 1; distance < call->ranks; distance++) {
        int to = (call->rank + distance) % call->ranks;
        int from = (call->rank + call->ranks - distance) % call->ranks;
        for (int s = 0; s < sides; s++) {
            summand__recv(build->schedule, from,
                          summand__region((enum summand__place)side[s].all,
                                          side[s].at + pairs[from] * side[s].width,
                                          (pairs[from + 1] - pairs[from]) * side[s].width));
            summand__send(build->schedule, to, sent(build, &side[s], to));
        }
    }
}

static void multiply(const struct summand__outer_build *build, const struct side *a,
                     const struct side *b)
{
    const struct summand__call *call = build->call;
    struct summand__outer_factors factors = {.place_a = a->all,
                                             .place_b = b->all,
                                             .a = a->at,
                                             .b = b->at,
                                             .pitch_a = a->width,
                                             .pitch_b = b->width,
                                             .count = build->shape->pairs[call->ranks]};
    for (int l = 0; l < build->shape->layers; l++) {
        struct summand__outer_block block = block_of(call, l, call->rank);
        bool whole = build->shape->result == SUMMAND__OUTER_ALL;
        size_t ldg = build->shape->layer[l].ldg, rows, columns;
        size_t row = slice_of(call, a, l, call->rank, &rows) - (whole ? 0 : block.row);
        size_t column = slice_of(call, b, l, call->rank, &columns) - block.column;
        summand__outer_product(build, &factors, summand__outer_place(l, SUMMAND__OUTER_G),
                               row * ldg + column, ldg, rows, columns, true, true);
        factors.a += rows;
        factors.b += columns;
    }
}

/* The order in which parts travel: the first parts of both factors together, then single parts,
 * each of the factor that has had the smaller share of its own. */
struct order {
    size_t parts[2], seen[2]; /* of a and b */
    int last;                 /* the factor of the last part */
};

static struct order first_parts(const struct summand__call *call)
{
    return (struct order){
        .parts = {parts_of(call, SUMMAND__OUTER_A), parts_of(call, SUMMAND__OUTER_B)},
        .seen = {1, 1}};
}

static bool next_part(struct order *order)
{
    const size_t *parts = order->parts, *seen = order->seen;
    if (seen[0] == parts[0] && seen[1] == parts[1])
        return false;
    order->last =
        seen[0] == parts[0] || (seen[1] < parts[1] && seen[1] * parts[0] < seen[0] * parts[1]);
    order->seen[order->last]++;
    return true;
}

/* Multiplies the last part with all arrived parts of the other factor. */
static void multiply_last(const struct summand__outer_build *build, const struct order *order,
                          const struct side *a, const struct side *b)
{
    size_t last = order->seen[order->last] - 1;
    for (size_t other = 0; other < order->seen[!order->last]; other++)
        multiply(build, &a[order->last ? other : last], &b[order->last ? last : other]);
}

static void prepare_all(const struct summand__outer_build *build, enum summand__outer_place which,
                        size_t parts, struct side *side)
{
    for (size_t part = 0; part < parts; part++) {
        side[part] = side_of(build->call, which, part);
        prepare(build, &side[part], side);
    }
}

static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    (void)algorithm;
    if (summand__outer_is_parcels(call)) {
        summand__outer_build_parcels(call, schedule);
        return;
    }
    struct summand__outer_build all = summand__outer_begin(call, schedule);
    struct side a[SUMMAND__OUTER_PARTS], b[SUMMAND__OUTER_PARTS];
    struct order order = first_parts(call), before;
    all.partial = order.parts[1] > 1;
    prepare_all(&all, SUMMAND__OUTER_A, order.parts[0], a);
    prepare_all(&all, SUMMAND__OUTER_B, order.parts[1], b);
    summand__round(schedule);
    exchange(&all, (struct side[]){a[0], b[0]}, 2);
    for (bool more = true; more;) {
        before = order;
        more = next_part(&order);
        summand__round(schedule);
        if (more)
            exchange(&all, order.last ? &b[order.seen[1] - 1] : &a[order.seen[0] - 1], 1);
        multiply_last(&all, &before, a, b);
    }
    for (int l = 0; l < call->outer->layers && call->outer->result == SUMMAND__OUTER_ALL; l++) {
        struct summand__call spread = summand__outer_spread(call, l, false);
        summand__outer_embed(&all, &call->outer->spread, &spread,
                             summand__outer_place(l, SUMMAND__OUTER_G), 0);
    }
}

static struct summand__cost side_cost(const struct summand__call *call, const struct side *side)
{
    struct summand__cost cost = {.depth = 0};
    size_t takers = 0, total = 0;
    for (int r = 0; r < call->ranks; r++) {
        size_t width = width_of(call, side, r);
        takers += width > 0;
        total += width;
    }
    for (int r = 0; r < call->ranks; r++) {
        size_t pairs = summand__outer_pairs(call, r), width = width_of(call, side, r);
        if (!pairs)
            continue;
        cost.messages += takers - (width > 0);
        cost.elements += pairs * (total - width);
    }
    cost.depth = cost.messages > 0;
    return cost;
}

/* The first parts of both factors travel together. */
static struct summand__cost slices_cost(const struct summand__call *call)
{
    static const enum summand__outer_place sides[] = {SUMMAND__OUTER_A, SUMMAND__OUTER_B};
    struct summand__cost cost = {.depth = 0};
    size_t first = 0, parts = 0;
    for (int s = 0; s < 2; s++)
        for (size_t part = 0; part < parts_of(call, sides[s]); part++, parts++) {
            const struct side side = side_of(call, sides[s], part);
            struct summand__cost more = side_cost(call, &side);
            cost.messages += more.messages;
            cost.elements += more.elements;
            cost.depth += part ? more.depth : 0;
            first |= part ? 0 : more.depth;
        }
    cost.depth += first;
    cost.depth_at_most = parts > 2;
    return cost;
}

static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)algorithm;
    if (summand__outer_is_parcels(call))
        return summand__outer_parcels_cost(call);
    struct summand__cost cost = slices_cost(call);
    if (call->outer->result != SUMMAND__OUTER_ALL)
        return cost;
    return summand__outer_add(cost,
                              summand__outer_layers_cost(call, &call->outer->spread, false, depth));
}

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
static double product_time(const struct summand__call *call, int rank, const struct order *order,
                           const struct summand__model *model)
{
    const struct summand__outer_shape *shape = call->outer;
    double time = 0;
    for (int l = 0; l < shape->layers; l++) {
        struct summand__outer_block block = block_of(call, l, rank);
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
    struct order order = first_parts(call);
    struct need need = need_of(call, rank);
    double part[2] = {(double)need.a / (double)order.parts[0],
                      (double)need.b / (double)order.parts[1]};
    double product = product_time(call, rank, &order, model), made = product;
    double time = exchange_time(call, part[0] + part[1], 2, model) +
                  summand__outer_ahead(call, takers_of(call), need.a + need.b,
                                       order.parts[0] + order.parts[1] - 1, model);
    while (next_part(&order)) {
        time +=
            summand__outer_both(call, exchange_time(call, part[order.last], 1, model), made, model);
        made = product * (double)order.seen[!order.last];
    }
    return time + made;
}

static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    (void)algorithm;
    (void)element;
    const struct summand__outer_shape *shape = call->outer;
    if (summand__outer_is_parcels(call))
        return parcels_time(call, model);
    /* the last rank of the grid has the largest block */
    bool grid = shape->result == SUMMAND__OUTER_BLOCKS;
    int last = grid ? shape->grid_rows * shape->grid_columns - 1 : call->ranks - 1;
    struct need need = need_of(call, last);
    double copied =
        (double)shape->pairs[call->ranks] / call->ranks * (double)(shape->width + need.a + need.b);
    double time =
        slices_time(call, last, model) + summand__outer_copy_seconds(shape, copied, model);
    bool gathers = shape->result == SUMMAND__OUTER_ALL && call->ranks > 1;
    for (int l = 0; l < shape->layers && gathers; l++)
        time += summand__outer_spread_seconds(call, l, false, model);
    return time;
}

static bool applicable(const struct summand__call *call)
{
    const struct summand__outer_shape *shape = call->outer;
    return shape &&
           (shape->result == SUMMAND__OUTER_ROWS || shape->result == SUMMAND__OUTER_BLOCKS ||
            shape->result == SUMMAND__OUTER_PARCELS ||
            (summand__outer_spreads(call) && shape->spread.algorithm));
}

const struct summand__algorithm summand__outer_slices = {
    .name = "outer-slices",
    .description =
        "each rank receives slices of the factors for its block; a whole result is gathered",
    .source = "Enderlin et al., ETH (future work)",
    .promises = SUMMAND__PAIR_ORDER | SUMMAND__SAME_BITS,
    .applicable = applicable,
    .build = {[SUMMAND__COLL_OUTER] = build},
    .cost = cost,
    .estimate = estimate,
    .outer_number = {.at = offsetof(struct summand__outer_shape, parts), .least = 1},
    .takes_slices = true,
};
