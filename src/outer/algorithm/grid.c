/* SPDX-License-Identifier: BSD-3-Clause */
/* Grid: every rank gets the slices for its block of a grid of pr x pc ranks, in two phases.
 *
 * How: slices of a are exchanged down each column of the grid, then gathered along each row; those
 *   of b along each row, then down each column, at the same time. One product over all pairs
 *   computes the block. A whole result is made in bands of rows. While the slices of a for one band
 *   travel, ranks compute their blocks of the band before, and gather the band before that: blocks
 *   along rows of the grid, which are copied to their places, then strips of rows down its columns.
 *   For a root all ranks send it their blocks of the band, which it copies to their places.
 * When: as slices.c, with pr + pc latencies instead of p: blocks on many ranks; and whole results,
 *   on all ranks or a root, of so many pairs that their slices are not small against the result.
 * Cost: pr + pc - 2 messages of slices from each rank, and those of both allgathers; (L - K) (N /
 *   pr + M / pc) elements to each, and 2 N M L / p operations. For a whole result those of
 *   allgathers of N M elements in all, and N M / pr elements of it are copied. In q bands a rank
 *   takes the longer of messages and products, and about 1 / q of both in addition; it sends up to
 *   q times as many messages. A root receives and copies N M elements, in q messages of each rank.
 * Restrictions: the grid must have all ranks. Memory for twice L (N / pr + M / pc), K (N + M) and,
 *   for a whole result, N M / (pr q) elements; for a root N M / q on it, and 2 N M / (p q) on the
 *   others. A whole result on all ranks as in slices.c.
 * Source: the same for products of matrices: van de Geijn and Watts, SUMMA (1997). */
#include "outer/algorithm/grid.h"

#include "compute/kernels.h"
#include "outer/algorithm/overlap.h"
#include "outer/algorithm/root.h"

/* The rank whose pairs member q of this rank's gather line passes on, and member m there. */
static int rank_at(const struct summand__outer_grid_side *side, int q, int m)
{
    return side->exchange.base - side->gather.own * side->gather.stride + q * side->gather.stride +
           m * side->exchange.stride;
}

/* The position of the slices of exchange member m that gather member q takes. */
static size_t position(const struct summand__call *call,
                       const struct summand__outer_grid_side *side, int q, int m)
{
    size_t pairs = 0;
    for (int i = 0; i <= q; i++)
        for (int j = 0; j < (i < q ? side->exchange.ranks : m); j++)
            pairs += summand__outer_pairs(call, rank_at(side, i, j));
    return pairs * side->width;
}

/* Packs slice m of this rank's own pairs, at element `to` of the place. */
static void pack(const struct summand__outer_grid_band *band,
                 const struct summand__outer_grid_side *side, int m, uint32_t place, size_t to)
{
    const struct summand__call *call = &band->call;
    size_t pitch = summand__outer_slice(call, side->which, m);
    int rank = side->exchange.base + m * side->exchange.stride;
    for (int l = 0; l < band->shape.layers; l++) {
        struct summand__outer_block block = summand__outer_grid_block(call, l, rank);
        bool a = side->which == SUMMAND__OUTER_A;
        size_t count = a ? block.rows : block.columns;
        summand__outer_pack(&band->build, l, side->which,
                            a ? band->row[l] + block.row : block.column, count, place, to, pitch);
        to += count;
    }
}

static void prepare(const struct summand__outer_grid_band *band,
                    struct summand__outer_grid_side *side)
{
    const struct summand__outer_build *build = &band->build;
    const struct summand__call *call = build->call;
    struct summand__schedule *schedule = build->schedule;
    size_t pairs = summand__outer_pairs(call, call->rank);
    size_t all = call->outer->pairs[call->ranks] * side->width;
    int slices = side->exchange.ranks;
    side->got = side->all = summand__add_place(schedule, SUMMAND__TEMPORARY, build->unit, all);
    if (!summand__outer_grid_in_order(side))
        side->all = summand__add_place(schedule, SUMMAND__TEMPORARY, build->unit, all);
    side->own = summand__add_place(
        schedule, SUMMAND__TEMPORARY, build->unit,
        slices > 1 ? pairs * summand__outer_slices_before(call, side->which, slices) : 0);
    for (int m = 0; m < slices; m++)
        if (m == side->exchange.own)
            pack(band, side, m, side->got, position(call, side, side->gather.own, m));
        else
            pack(band, side, m, side->own,
                 pairs * summand__outer_slices_before(call, side->which, m));
}

static void exchange(const struct summand__outer_build *build,
                     const struct summand__outer_grid_side *side)
{
    const struct summand__call *call = build->call;
    const struct summand__outer_line *line = &side->exchange;
    size_t pairs = summand__outer_pairs(call, call->rank);
    for (int distance = 1; distance < line->ranks; distance++) {
        int to = (line->own + distance) % line->ranks;
        int from = (line->own + line->ranks - distance) % line->ranks;
        int sender = line->base + from * line->stride;
        summand__recv(build->schedule, sender,
                      summand__region((enum summand__place)side->got,
                                      position(call, side, side->gather.own, from),
                                      summand__outer_pairs(call, sender) * side->width));
        summand__send(build->schedule, line->base + to * line->stride,
                      summand__region((enum summand__place)side->own,
                                      pairs * summand__outer_slices_before(call, side->which, to),
                                      pairs * summand__outer_slice(call, side->which, to)));
    }
}

static void put_in_order(const struct summand__outer_build *build,
                         const struct summand__outer_grid_side *side)
{
    const struct summand__call *call = build->call;
    for (int q = 0; q < side->gather.ranks && !summand__outer_grid_in_order(side); q++)
        for (int m = 0; m < side->exchange.ranks; m++) {
            int rank = rank_at(side, q, m);
            size_t pairs = summand__outer_pairs(call, rank);
            if (pairs && side->width)
                summand__compute(build->schedule, summand__kernel_named("pack"),
                                 summand__tile(side->got, position(call, side, q, m), pairs,
                                               side->width, side->width),
                                 (struct summand__tile){0},
                                 summand__tile(side->all, call->outer->pairs[rank] * side->width,
                                               pairs, side->width, side->width),
                                 false);
        }
}

/* Computes rows of the band's blocks. Rows of all layers are numbered one after the other. */
static void multiply(const struct summand__outer_build *build, const void *context, size_t first,
                     size_t rows)
{
    const struct summand__outer_grid_band *band = context;
    const struct summand__call *call = &band->call;
    const struct summand__outer_grid_side *a = &band->side[0], *b = &band->side[1];
    size_t at = 0, column = 0;
    for (int l = 0; l < band->shape.layers; l++) {
        struct summand__outer_block block = summand__outer_grid_block(call, l, call->rank);
        size_t ldg = band->layer[l].ldg, from = first > at ? first - at : 0;
        size_t to = first + rows > at ? first + rows - at : 0;
        if (to > block.rows)
            to = block.rows;
        const struct summand__outer_factors factors = {.place_a = a->all,
                                                       .place_b = b->all,
                                                       .a = at + from,
                                                       .b = column,
                                                       .pitch_a = a->width,
                                                       .pitch_b = b->width,
                                                       .count = band->shape.pairs[call->ranks]};
        size_t corner =
            summand__outer_grid_whole(call) ? (band->row[l] + block.row) * ldg + block.column : 0;
        if (to > from && band->rooted)
            summand__outer_grid_root_product(band, build, l, &factors, from, to - from);
        else if (to > from)
            summand__outer_product(build, &factors, summand__outer_place(l, SUMMAND__OUTER_G),
                                   corner + from * ldg, ldg, to - from, block.columns, true, true);
        at += block.rows;
        column += block.columns;
    }
}

/* Moves a block of this rank's grid row between its place in the result and a strip. */
static void move_block(const struct summand__outer_grid_band *band, int l, int rank, uint32_t strip,
                       size_t first, bool out)
{
    struct summand__outer_block block = summand__outer_grid_block(&band->call, l, rank);
    size_t ldg = band->layer[l].ldg;
    struct summand__tile result = summand__tile(summand__outer_place(l, SUMMAND__OUTER_G),
                                                (band->row[l] + block.row) * ldg + block.column,
                                                block.rows, block.columns, ldg);
    struct summand__tile packed = summand__tile(strip, first + block.rows * block.column,
                                                block.rows, block.columns, block.columns);
    if (block.rows && block.columns)
        summand__compute(band->build.schedule, summand__kernel_named("pack"), out ? result : packed,
                         (struct summand__tile){0}, out ? packed : result, false);
}

static void gather_result(const struct summand__outer_grid_band *band, int l)
{
    const struct summand__outer_build *build = &band->build;
    const struct summand__call *call = build->call;
    struct summand__outer_line row =
        summand__outer_line_of(call, SUMMAND__OUTER_LINE_BLOCKS, call->rank);
    struct summand__outer_line_target target = {.kind = SUMMAND__OUTER_LINE_BLOCKS, .l = l};
    if (row.ranks > 1) {
        size_t rows = summand__outer_grid_block(call, l, call->rank).rows;
        target.place = summand__outer_room(build, rows * band->layer[l].columns, &target.at);
        move_block(band, l, call->rank, target.place, target.at, true);
        summand__outer_gather_lines(build, 1, &target);
        for (int m = 0; m < row.ranks; m++)
            if (m != row.own)
                move_block(band, l, row.base + m, target.place, target.at, false);
    }
    target = (struct summand__outer_line_target){.kind = SUMMAND__OUTER_LINE_STRIPS,
                                                 .l = l,
                                                 .place = summand__outer_place(l, SUMMAND__OUTER_G),
                                                 .at = band->row[l] * band->layer[l].ldg};
    summand__outer_gather_lines(build, 1, &target);
}

/* On all ranks, or on a root. Parts stay where they are. */
static void collect_result(const struct summand__outer_grid_band *band)
{
    for (int l = 0; l < band->shape.layers && summand__outer_grid_whole(&band->call); l++)
        gather_result(band, l);
    if (band->rooted)
        summand__outer_grid_root_collect(band);
}

/* Gathers the slices of both factors, or of a alone. */
static void gather_slices(const struct summand__outer_grid_band *band, int sides)
{
    const struct summand__outer_build *build = &band->build;
    const struct summand__outer_grid_side *side = band->side;
    for (int s = 0; s < sides; s++)
        exchange(build, &side[s]);
    summand__round(build->schedule);
    const struct summand__outer_line_target targets[2] = {
        {.kind = side[0].along, .place = side[0].got},
        {.kind = side[1].along, .place = side[1].got}};
    summand__outer_gather_lines(build, sides, targets);
    for (int s = 0; s < sides; s++)
        put_in_order(build, &side[s]);
}

/* `rooted` is NULL, except for a root's result. */
static void begin_band(const struct summand__outer_build *all, int number,
                       struct summand__outer_grid_side *side,
                       const struct summand__outer_grid_rooted *rooted,
                       struct summand__outer_grid_band *band)
{
    summand__outer_grid_cut(all->call, number, band);
    band->rooted = rooted;
    band->build = *all;
    band->build.call = &band->call;
    band->build.shape = &band->shape;
    band->side = side;
}

/* Cuts the slices of all bands for other ranks. */
static void prepare_bands(const struct summand__outer_build *all, int bands,
                          struct summand__outer_grid_side side[][2])
{
    struct summand__outer_grid_band band;
    for (int q = 0; q < bands; q++) {
        begin_band(all, q, side[q], NULL, &band);
        side[q][0] = summand__outer_grid_side_of(&band.call, SUMMAND__OUTER_A, all->call->rank);
        prepare(&band, &side[q][0]);
        side[q][1] = side[0][1];
        if (q)
            continue;
        side[q][1] = summand__outer_grid_side_of(&band.call, SUMMAND__OUTER_B, all->call->rank);
        prepare(&band, &side[q][1]);
    }
}

/* Reuses the room in each stage: no stage needs what an earlier one has left there. Returns the
 * largest need. */
static size_t use_room_again(const struct summand__outer_build *all, size_t most)
{
    if (all->schedule->failed)
        return most;
    size_t *count = &all->schedule->info[all->room - SUMMAND__PLACES].count, stage = *count;
    *count = 0;
    return stage > most ? stage : most;
}

/* In each stage the slices of one band travel, the products of the band before are computed, and
 * the band before that is gathered. */
static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    (void)algorithm;
    struct summand__outer_build all = summand__outer_begin(call, schedule);
    struct summand__outer_grid_side side[SUMMAND__OUTER_PARTS][2];
    struct summand__outer_grid_band band;
    struct summand__outer_grid_rooted to_root;
    const bool is_rooted = summand__outer_is_rooted(call);
    const struct summand__outer_grid_rooted *rooted = is_rooted ? &to_root : NULL;
    int bands = summand__outer_grid_bands(call);
    /* rows of other ranks than the root are not the caller's */
    all.partial = is_rooted || (summand__outer_grid_whole(call) && call->outer->grid_columns > 1);
    if (is_rooted)
        summand__outer_grid_root_begin(&all, &to_root);
    prepare_bands(&all, bands, side);
    size_t most = 0;
    for (int stage = 0; stage < bands + 2; stage++) {
        summand__round(schedule);
        most = use_room_again(&all, most);
        size_t begin = schedule->length;
        struct summand__outer_rows rows = {multiply, &band, 0};
        if (stage < bands) {
            begin_band(&all, stage, side[stage], rooted, &band);
            gather_slices(&band, stage ? 1 : 2);
        }
        if (stage > 1) {
            begin_band(&all, stage - 2, side[stage - 2], rooted, &band);
            collect_result(&band);
        }
        if (stage && stage <= bands) {
            begin_band(&all, stage - 1, side[stage - 1], rooted, &band);
            for (int l = 0; l < call->outer->layers; l++)
                rows.rows += summand__outer_grid_block(&band.call, l, call->rank).rows;
            summand__outer_beside(&all, begin, &rows);
        }
    }
    most = use_room_again(&all, most);
    if (!schedule->failed)
        schedule->info[all.room - SUMMAND__PLACES].count = most;
}

static struct summand__cost exchange_cost(const struct summand__call *call, int sides)
{
    struct summand__cost cost = {.depth = 0};
    for (int r = 0; r < call->ranks; r++)
        for (int s = 0; s < sides; s++) {
            struct summand__outer_grid_side side =
                summand__outer_grid_side_of(call, s ? SUMMAND__OUTER_B : SUMMAND__OUTER_A, r);
            size_t pairs = summand__outer_pairs(call, r);
            for (int m = 0; m < side.exchange.ranks && pairs; m++) {
                size_t width = summand__outer_slice(call, side.which, m);
                if (m == side.exchange.own || !width)
                    continue;
                cost.messages++;
                cost.elements += pairs * width;
            }
        }
    cost.depth = cost.messages > 0;
    return cost;
}

static struct summand__cost band_cost(const struct summand__call *call, int sides, bool depth)
{
    struct summand__cost cost = exchange_cost(call, sides);
    for (int s = 0; s < sides; s++)
        cost = summand__outer_add(
            cost, summand__outer_lines_cost(call, s ? SUMMAND__OUTER_LINE_B : SUMMAND__OUTER_LINE_A,
                                            0, depth));
    for (int l = 0; l < call->outer->layers && summand__outer_grid_whole(call); l++)
        for (int kind = SUMMAND__OUTER_LINE_BLOCKS; kind <= SUMMAND__OUTER_LINE_STRIPS; kind++)
            cost = summand__outer_add(
                cost,
                summand__outer_lines_cost(call, (enum summand__outer_line_kind)kind, l, depth));
    if (summand__outer_is_rooted(call))
        cost = summand__outer_add(cost, summand__outer_grid_root_cost(call));
    return cost;
}

static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)algorithm;
    struct summand__cost cost = {.depth = 0};
    struct summand__outer_grid_band band;
    for (int q = 0; q < summand__outer_grid_bands(call); q++) {
        summand__outer_grid_cut(call, q, &band);
        cost = summand__outer_add(cost, band_cost(&band.call, q ? 1 : 2, depth));
    }
    return cost;
}

static bool has_parts(const struct summand__call *call)
{
    int kinds =
        summand__outer_grid_whole(call) ? SUMMAND__OUTER_LINE_STRIPS : SUMMAND__OUTER_LINE_B;
    for (int kind = 0; kind <= kinds; kind++)
        if (!call->outer->line[kind].algorithm &&
            summand__outer_line_of(call, (enum summand__outer_line_kind)kind, 0).ranks > 1)
            return false;
    return true;
}

static bool applicable(const struct summand__call *call)
{
    const struct summand__outer_shape *shape = call->outer;
    if (!shape)
        return false;
    bool rows = shape->result == SUMMAND__OUTER_ROWS;
    return (rows || (shape->grid_rows > 0 && shape->grid_columns > 0 &&
                     shape->grid_rows * shape->grid_columns == call->ranks)) &&
           (rows || shape->result == SUMMAND__OUTER_BLOCKS || summand__outer_is_rooted(call) ||
            summand__outer_spreads(call)) &&
           has_parts(call) && summand__outer_takes(shape, SUMMAND__OUTER_BY_LINES);
}

const struct summand__algorithm summand__outer_grid_slices = {
    .name = "outer-grid",
    .description =
        "slices of factors travel along rows and columns of a grid, and so does a whole result",
    .source = "van de Geijn and Watts (1997)",
    .promises = SUMMAND__PAIR_ORDER | SUMMAND__SAME_BITS,
    .applicable = applicable,
    .build = {[SUMMAND__COLL_OUTER] = build},
    .cost = cost,
    .estimate = summand__outer_grid_estimate,
    /* within a node products do not overlap with messages */
    .outer_number = {.at = offsetof(struct summand__outer_shape, bands),
                     .least = 1,
                     .whole = true,
                     .other = true,
                     .between_nodes = true},
};
