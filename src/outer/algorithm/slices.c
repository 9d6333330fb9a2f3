/* SPDX-License-Identifier: BSD-3-Clause */
/* Slices: every rank gets only those slices of all factors that its block of the result needs.
 *
 * How: the result is cut into blocks of rows, or blocks of a grid of pr x pc ranks. Each rank sends
 *   every other rank the slices of its pairs for the other's block, all at once. One product over
 *   all pairs computes the block. For blocks of a grid the slices may travel in parts, of a and of
 *   b in turn. While a part travels, ranks multiply the part before with all arrived parts
 *   of the other factor. Blocks of rows of a whole result are then gathered, and those of a result
 *   for a root are sent to it. The caller packs
 *   factors that are not rows of elements, and gives the length of the slices for each rank
 *   (parcels.h). These travel all at once, without products.
 * When: results in blocks; whole results of too many pairs for a product on every rank, and of too
 *   few for an all-reduce of the result; results for a root of too many pairs for its product.
 * Cost: p - 1 messages twice from each rank, once more for each further part, (L - K) (N / pr + M /
 *   pc) elements to each, and 2 N M L / p operations; for a whole result that of an allgather of N
 *   M elements.
 * Restrictions: memory for L (N / pr + M / pc) + K (N + M) elements. A whole result must have
 *   contiguous rows on all ranks and, if it is updated, be the same on all. A root whose result is
 *   updated by beta or has gaps has memory for N M elements.
 * Source: the "all-scatter" of the future work of Enderlin et al. (ETH); with whole factors their
 *   generalized Rabenseifner (rabenseifner.c). */
#include "outer/algorithm/slices.h"
#include "algorithm/estimate.h"
#include "outer/algorithm/parcels.h"
#include "outer/algorithm/root.h"

/* Elements of a pair that are cut for others before a rank's slices. */
static size_t cut_before(const struct summand__call *call, const struct summand__outer_side *side,
                         int rank)
{
    size_t before = summand__outer_side_before(call, side, rank);
    for (int l = 0; l < call->outer->layers; l++) {
        struct summand__outer_block block = summand__outer_made(call, l, rank);
        before += side->which == SUMMAND__OUTER_A ? block.row : block.column;
    }
    return before;
}

/* Packs this rank's own pairs into the slices of a rank's block, at element `to` of the place. */
static void pack(const struct summand__outer_build *build, const struct summand__outer_side *side,
                 int rank, uint32_t place, size_t to, size_t pitch)
{
    for (int l = 0; l < build->shape->layers; l++) {
        size_t count, first = summand__outer_side_slice(build->call, side, l, rank, &count);
        summand__outer_pack(build, l, side->which, first, count, place, to, pitch);
        to += count;
    }
}

/* True if slices are packed for `rank`. Ranks of a row or column of the grid take the same slices,
 * which are packed for the first of them; after ranks that take none, once more. */
static bool is_first(const struct summand__call *call, const struct summand__outer_side *side,
                     int rank)
{
    bool a = side->which == SUMMAND__OUTER_A;
    int columns = call->outer->result == SUMMAND__OUTER_BLOCKS ? call->outer->grid_columns : 1;
    int before = a ? (rank % columns ? rank - 1 : -1) : rank - columns;
    return summand__outer_side_width(call, side, rank) &&
           (before < 0 || !summand__outer_side_width(call, side, before));
}

/* True if no other rank takes the same slices as this one. */
static bool is_alone(const struct summand__call *call, const struct summand__outer_side *side)
{
    bool grid = call->outer->result == SUMMAND__OUTER_BLOCKS;
    bool a = side->which == SUMMAND__OUTER_A;
    return a ? !grid || call->outer->grid_columns == 1 : grid && call->outer->grid_rows == 1;
}

/* The place of a side's first part also serves its other parts. */
static void prepare(const struct summand__outer_build *build, struct summand__outer_side *side,
                    const struct summand__outer_side *first)
{
    const struct summand__call *call = build->call;
    const struct summand__outer_shape *shape = build->shape;
    struct summand__outer_need need = summand__outer_need_of(call, call->rank);
    size_t pairs = summand__outer_pairs(call, call->rank), all = shape->pairs[call->ranks];
    size_t total = 0, taken = side->which == SUMMAND__OUTER_A ? need.a : need.b;
    for (int l = 0; l < shape->layers; l++)
        total += side->which == SUMMAND__OUTER_A ? shape->layer[l].rows : shape->layer[l].columns;
    side->width = summand__outer_side_width(call, side, call->rank);
    side->at = all * summand__outer_side_before(call, side, call->rank);
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
                 summand__outer_side_width(call, side, r));
}

/* The region that this rank sends to another one. */
static struct summand__region sent(const struct summand__outer_build *build,
                                   const struct summand__outer_side *side, int to)
{
    const struct summand__call *call = build->call;
    size_t pairs = summand__outer_pairs(call, call->rank);
    size_t width = summand__outer_side_width(call, side, to);
    return side->whole ? summand__region((enum summand__place)side->all,
                                         side->at + build->shape->pairs[call->rank] * side->width,
                                         pairs * width)
                       : summand__region((enum summand__place)side->own,
                                         pairs * cut_before(call, side, to), pairs * width);
}

static void exchange(const struct summand__outer_build *build,
                     const struct summand__outer_side *side, int sides)
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

/* The temporary memory of a result for a root is in `rooted`. */
static void multiply(const struct summand__outer_build *build, const struct summand__outer_side *a,
                     const struct summand__outer_side *b,
                     const struct summand__outer_rooted *rooted)
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
        struct summand__outer_block own = summand__outer_made(call, l, call->rank), part;
        bool whole = build->shape->result == SUMMAND__OUTER_ALL;
        size_t ldg = build->shape->layer[l].ldg;
        part.row = summand__outer_side_slice(call, a, l, call->rank, &part.rows);
        part.column = summand__outer_side_slice(call, b, l, call->rank, &part.columns);
        if (summand__outer_is_rooted(call))
            summand__outer_root_product(build, rooted, l, &factors, &part);
        else
            summand__outer_product(build, &factors, summand__outer_place(l, SUMMAND__OUTER_G),
                                   (part.row - (whole ? 0 : own.row)) * ldg + part.column -
                                       own.column,
                                   ldg, part.rows, part.columns, true, true);
        factors.a += part.rows;
        factors.b += part.columns;
    }
}

/* Multiplies the last part with all arrived parts of the other factor. */
static void multiply_last(const struct summand__outer_build *build,
                          const struct summand__outer_order *order,
                          const struct summand__outer_side *a, const struct summand__outer_side *b,
                          const struct summand__outer_rooted *rooted)
{
    size_t last = order->seen[order->last] - 1;
    for (size_t other = 0; other < order->seen[!order->last]; other++)
        multiply(build, &a[order->last ? other : last], &b[order->last ? last : other], rooted);
}

static void prepare_all(const struct summand__outer_build *build, enum summand__outer_place which,
                        size_t parts, struct summand__outer_side *side)
{
    for (size_t part = 0; part < parts; part++) {
        side[part] = summand__outer_side_of(build->call, which, part);
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
    struct summand__outer_side a[SUMMAND__OUTER_PARTS], b[SUMMAND__OUTER_PARTS];
    struct summand__outer_order order = summand__outer_order_of(call), before;
    struct summand__outer_rooted rooted = {.place = 0};
    all.partial = order.parts[1] > 1;
    if (summand__outer_is_rooted(call))
        summand__outer_root_begin(&all, &rooted);
    prepare_all(&all, SUMMAND__OUTER_A, order.parts[0], a);
    prepare_all(&all, SUMMAND__OUTER_B, order.parts[1], b);
    summand__round(schedule);
    exchange(&all, (struct summand__outer_side[]){a[0], b[0]}, 2);
    for (bool more = true; more;) {
        before = order;
        more = summand__outer_order_next(&order);
        summand__round(schedule);
        if (more)
            exchange(&all, order.last ? &b[order.seen[1] - 1] : &a[order.seen[0] - 1], 1);
        multiply_last(&all, &before, a, b, &rooted);
    }
    if (summand__outer_is_rooted(call))
        summand__outer_root_collect(&all, &rooted);
    for (int l = 0; l < call->outer->layers && call->outer->result == SUMMAND__OUTER_ALL; l++) {
        struct summand__call spread = summand__outer_spread(call, l, false);
        summand__outer_embed(&all, &call->outer->spread, &spread,
                             summand__outer_place(l, SUMMAND__OUTER_G), 0);
    }
}

static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)algorithm;
    if (summand__outer_is_parcels(call))
        return summand__outer_parcels_cost(call);
    struct summand__cost cost = summand__outer_slices_cost(call);
    if (summand__outer_is_rooted(call))
        return summand__outer_add(cost, summand__outer_root_cost(call));
    if (call->outer->result != SUMMAND__OUTER_ALL)
        return cost;
    return summand__outer_add(cost,
                              summand__outer_layers_cost(call, &call->outer->spread, false, depth));
}

static bool applicable(const struct summand__call *call)
{
    const struct summand__outer_shape *shape = call->outer;
    const bool spreads = shape && shape->result == SUMMAND__OUTER_ALL;
    return shape && summand__outer_takes(shape, spreads ? SUMMAND__OUTER_BY_SPREAD : 0) &&
           (shape->result == SUMMAND__OUTER_ROWS || shape->result == SUMMAND__OUTER_BLOCKS ||
            shape->result == SUMMAND__OUTER_ROOT || shape->result == SUMMAND__OUTER_PARCELS ||
            (summand__outer_spreads(call) && shape->spread.algorithm));
}

const struct summand__algorithm summand__outer_slices = {
    .name = "outer-slices",
    .description = "each rank receives slices of the factors for its block; a whole result, or one "
                   "for a root, "
                   "is gathered",
    .source = "Enderlin et al., ETH (future work)",
    .promises = SUMMAND__PAIR_ORDER | SUMMAND__SAME_BITS,
    .applicable = applicable,
    .build = {[SUMMAND__COLL_OUTER] = build},
    .cost = cost,
    .estimate = summand__outer_slices_estimate,
    .outer_number = {.at = offsetof(struct summand__outer_shape, parts), .least = 1, .other = true},
    .takes_slices = true,
};
