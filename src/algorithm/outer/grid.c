/* Grid: every rank gets the slices that its block of a grid of pr x pc ranks needs, in two
 * phases.
 *
 * How: slices of a are exchanged down each column of the grid, then gathered along each row; those
 *   of b along each row, then down each column, at the same time. One product over all pairs
 *   computes the block. For a whole result, blocks are gathered along rows of the grid and copied
 *   to their places; then strips of rows are gathered down its columns.
 * When: as slices.c, with pr + pc latencies instead of p: blocks on many ranks; and whole results
 *   of so many pairs that their slices are not small against the result.
 * Cost: pr + pc - 2 messages of slices from each rank, and those of both allgathers; (L - K) (N /
 *   pr + M / pc) elements to each, and 2 N M L / p operations. For a whole result those of
 *   allgathers of N M elements in all, and N M / pr elements of it are copied.
 * Restrictions: the grid must have all ranks. Memory for twice L (N / pr + M / pc), K (N + M) and,
 *   for a whole result, N M / pr elements. A whole result as in slices.c.
 * Source: the same for products of matrices: van de Geijn and Watts, SUMMA (1997). */
#include <string.h>

#include "algorithm/estimate.h"
#include "algorithm/outer/line.h"

/* Slices of a factor: member m of the line in which they are exchanged takes slice m. */
struct side {
    enum summand__outer_place which;
    enum summand__outer_line_kind across, along; /* exchanged in lines of the one, gathered in */
    struct summand__outer_line exchange, gather; /* those of the other kind: this rank's */
    size_t width;                                /* elements of this rank's slice of a pair */
    uint32_t got, own, all; /* as gathered; own pairs, cut for others; in the order of pairs */
};

static struct side side_of(const struct summand__call *call, enum summand__outer_place which,
                           int rank)
{
    bool a = which == SUMMAND__OUTER_A;
    struct side side = {.which = which,
                        .across = a ? SUMMAND__OUTER_LINE_B : SUMMAND__OUTER_LINE_A,
                        .along = a ? SUMMAND__OUTER_LINE_A : SUMMAND__OUTER_LINE_B};
    side.exchange = summand__outer_line_of(call, side.across, rank);
    side.gather = summand__outer_line_of(call, side.along, rank);
    side.width = summand__outer_slice(call, which, side.exchange.own);
    return side;
}

/* The rank whose pairs come by member q of this rank's line of gathering, and by member m there. */
static int rank_at(const struct side *side, int q, int m)
{
    return side->exchange.base - side->gather.own * side->gather.stride + q * side->gather.stride +
           m * side->exchange.stride;
}

/* Where the slices of member m of the exchange begin that member q gathers. */
static size_t position(const struct summand__call *call, const struct side *side, int q, int m)
{
    size_t pairs = 0;
    for (int i = 0; i <= q; i++)
        for (int j = 0; j < (i < q ? side->exchange.ranks : m); j++)
            pairs += summand__outer_pairs(call, rank_at(side, i, j));
    return pairs * side->width;
}

/* This rank's own pairs in slice m, from element `to` of the place on. */
static void pack(const struct summand__outer_build *build, const struct side *side, int m,
                 uint32_t place, size_t to)
{
    const struct summand__call *call = build->call;
    size_t pitch = summand__outer_slice(call, side->which, m);
    int rank = side->exchange.base + m * side->exchange.stride;
    for (int l = 0; l < build->shape->layers; l++) {
        struct summand__outer_block block = summand__outer_grid_block(call, l, rank);
        bool a = side->which == SUMMAND__OUTER_A;
        size_t count = a ? block.rows : block.columns;
        summand__outer_pack(build, l, side->which, a ? block.row : block.column, count, place, to,
                            pitch);
        to += count;
    }
}

/* Gathered along rows, pairs come by columns: in order only if there is one row or one column. */
static bool is_in_order(const struct side *side)
{
    return side->which == SUMMAND__OUTER_B || side->exchange.ranks == 1 || side->gather.ranks == 1;
}

static void prepare(const struct summand__outer_build *build, struct side *side)
{
    const struct summand__call *call = build->call;
    struct summand__schedule *schedule = build->schedule;
    size_t pairs = summand__outer_pairs(call, call->rank);
    size_t all = call->outer->pairs[call->ranks] * side->width;
    int slices = side->exchange.ranks;
    side->got = side->all = summand__add_place(schedule, SUMMAND__TEMPORARY, build->unit, all);
    if (!is_in_order(side))
        side->all = summand__add_place(schedule, SUMMAND__TEMPORARY, build->unit, all);
    side->own = summand__add_place(
        schedule, SUMMAND__TEMPORARY, build->unit,
        slices > 1 ? pairs * summand__outer_slices_before(call, side->which, slices) : 0);
    for (int m = 0; m < slices; m++)
        if (m == side->exchange.own)
            pack(build, side, m, side->got, position(call, side, side->gather.own, m));
        else
            pack(build, side, m, side->own,
                 pairs * summand__outer_slices_before(call, side->which, m));
}

static void exchange(const struct summand__outer_build *build, const struct side *side)
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

static void put_in_order(const struct summand__outer_build *build, const struct side *side)
{
    const struct summand__call *call = build->call;
    for (int q = 0; q < side->gather.ranks && !is_in_order(side); q++)
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

static bool is_whole(const struct summand__call *call)
{
    return call->outer->result == SUMMAND__OUTER_ALL;
}

static void multiply(const struct summand__outer_build *build, const struct side side[2])
{
    const struct summand__call *call = build->call;
    struct summand__outer_factors factors = {.place_a = side[0].all,
                                             .place_b = side[1].all,
                                             .pitch_a = side[0].width,
                                             .pitch_b = side[1].width,
                                             .count = build->shape->pairs[call->ranks]};
    for (int l = 0; l < build->shape->layers; l++) {
        struct summand__outer_block block = summand__outer_grid_block(call, l, call->rank);
        size_t ldg = build->shape->layer[l].ldg;
        summand__outer_product(build, &factors, summand__outer_place(l, SUMMAND__OUTER_G),
                               is_whole(call) ? block.row * ldg + block.column : 0, ldg, block.rows,
                               block.columns, true, true);
        factors.a += block.rows;
        factors.b += block.columns;
    }
}

/* A block of this rank's row of the grid, between its place in the result and in a strip. */
static void move_block(const struct summand__outer_build *build, int l, int rank, uint32_t strip,
                       size_t first, bool out)
{
    struct summand__outer_block block = summand__outer_grid_block(build->call, l, rank);
    size_t ldg = build->shape->layer[l].ldg;
    struct summand__tile result =
        summand__tile(summand__outer_place(l, SUMMAND__OUTER_G), block.row * ldg + block.column,
                      block.rows, block.columns, ldg);
    struct summand__tile packed = summand__tile(strip, first + block.rows * block.column,
                                                block.rows, block.columns, block.columns);
    if (block.rows && block.columns)
        summand__compute(build->schedule, summand__kernel_named("pack"), out ? result : packed,
                         (struct summand__tile){0}, out ? packed : result, false);
}

static void gather_result(const struct summand__outer_build *build, int l)
{
    const struct summand__call *call = build->call;
    struct summand__outer_line row =
        summand__outer_line_of(call, SUMMAND__OUTER_LINE_BLOCKS, call->rank);
    struct summand__outer_line_target target = {.kind = SUMMAND__OUTER_LINE_BLOCKS, .l = l};
    if (row.ranks > 1) {
        size_t rows = summand__outer_grid_block(call, l, call->rank).rows;
        target.place =
            summand__outer_room(build, rows * build->shape->layer[l].columns, &target.at);
        move_block(build, l, call->rank, target.place, target.at, true);
        summand__outer_gather_lines(build, 1, &target);
        for (int m = 0; m < row.ranks; m++)
            if (m != row.own)
                move_block(build, l, row.base + m, target.place, target.at, false);
    }
    target =
        (struct summand__outer_line_target){.kind = SUMMAND__OUTER_LINE_STRIPS,
                                            .l = l,
                                            .place = summand__outer_place(l, SUMMAND__OUTER_G)};
    summand__outer_gather_lines(build, 1, &target);
}

static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    (void)algorithm;
    struct summand__outer_build all = summand__outer_begin(call, schedule);
    struct side side[2] = {side_of(call, SUMMAND__OUTER_A, call->rank),
                           side_of(call, SUMMAND__OUTER_B, call->rank)};
    all.partial = is_whole(call) && call->outer->grid_columns > 1;
    for (int s = 0; s < 2; s++)
        prepare(&all, &side[s]);
    summand__round(schedule);
    for (int s = 0; s < 2; s++)
        exchange(&all, &side[s]);
    summand__round(schedule);
    const struct summand__outer_line_target targets[2] = {
        {.kind = side[0].along, .place = side[0].got},
        {.kind = side[1].along, .place = side[1].got}};
    summand__outer_gather_lines(&all, 2, targets);
    for (int s = 0; s < 2; s++)
        put_in_order(&all, &side[s]);
    multiply(&all, side);
    for (int l = 0; l < call->outer->layers && is_whole(call); l++)
        gather_result(&all, l);
}

static struct summand__cost exchange_cost(const struct summand__call *call)
{
    struct summand__cost cost = {.depth = 0};
    for (int r = 0; r < call->ranks; r++)
        for (int s = 0; s < 2; s++) {
            struct side side = side_of(call, s ? SUMMAND__OUTER_B : SUMMAND__OUTER_A, r);
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

static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)algorithm;
    struct summand__cost cost = exchange_cost(call);
    for (int kind = SUMMAND__OUTER_LINE_A; kind <= SUMMAND__OUTER_LINE_B; kind++)
        cost = summand__outer_add(
            cost, summand__outer_lines_cost(call, (enum summand__outer_line_kind)kind, 0, depth));
    for (int l = 0; l < call->outer->layers && is_whole(call); l++)
        for (int kind = SUMMAND__OUTER_LINE_BLOCKS; kind <= SUMMAND__OUTER_LINE_STRIPS; kind++)
            cost = summand__outer_add(
                cost,
                summand__outer_lines_cost(call, (enum summand__outer_line_kind)kind, l, depth));
    return cost;
}

/* Ranks whose slices are empty wait for no exchange, and begin the gather of the other factor:
 * where these messages do not wait for their receivers either, they share cards with those of the
 * exchange. So many seconds more, if only one factor is exchanged; a gather of several rounds has a
 * part of its messages in the first one. */
static double ahead_time(const struct summand__call *call, const struct side side[2],
                         const double bytes[2], const struct summand__model *model)
{
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
    struct summand__call gather = {
        .collective = SUMMAND__COLL_ALLGATHER, .ranks = ranks, .in_place = true, .count = 1};
    memcpy(gather.parameter, part->parameter, sizeof gather.parameter);
    size_t rounds = summand__cost_of(part->algorithm, &gather).depth;
    return (first < next ? first : next) * idle / (double)(rounds ? rounds : 1) *
           model->level[SUMMAND__NETWORK].byte;
}

/* Both factors' slices travel at once: their latencies count once, and their bytes add up. */
static double slices_time(const struct summand__call *call, const struct summand__model *model)
{
    const struct summand__outer_shape *shape = call->outer;
    double unit = (double)summand__outer_factor_size(shape->type), time[2], bytes[2], direct = 0;
    double pairs = (double)shape->pairs[call->ranks], copied = (double)shape->width / call->ranks;
    int partners = 1;
    struct side side[2];
    for (int s = 0; s < 2; s++) {
        side[s] = side_of(call, s ? SUMMAND__OUTER_B : SUMMAND__OUTER_A, call->ranks - 1);
        copied += is_in_order(&side[s]) ? 0 : (double)side[s].width;
        bytes[s] = (double)shape->pairs[call->ranks] * (double)side[s].width * unit;
        time[s] = summand__outer_line_time(call, side[s].along, bytes[s], model);
        direct += bytes[s] / side[s].gather.ranks * (1 - 1.0 / side[s].exchange.ranks);
        partners += side[s].exchange.ranks - 1;
    }
    double less = bytes[0] < bytes[1] ? bytes[0] : bytes[1];
    double both = (time[0] > time[1] ? time[0] : time[1]) +
                  (time[0] > 0 && time[1] > 0
                       ? less * model->level[summand__reach_of(model, call->ranks)].byte
                       : 0);
    return both + ahead_time(call, side, bytes, model) +
           summand__outer_copy_seconds(shape, pairs * copied, model) +
           (partners > 1 && direct > 0 ? summand__direct_time(model, partners, partners,
                                                              direct * partners / (partners - 1))
                                             .gather
                                       : 0);
}

static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    (void)algorithm;
    (void)element;
    const struct summand__outer_shape *shape = call->outer;
    double pairs = (double)shape->pairs[call->ranks];
    double unit = (double)summand__outer_result_size(shape->type);
    double time = call->ranks > 1 ? slices_time(call, model) : 0;
    for (int l = 0; l < shape->layers; l++) {
        struct summand__outer_block block = summand__outer_grid_block(call, l, call->ranks - 1);
        double rows = (double)block.rows, columns = (double)shape->layer[l].columns;
        time += summand__outer_seconds(shape, rows, (double)block.columns, pairs, model);
        if (!is_whole(call))
            continue;
        double strip = rows * columns * unit, whole = (double)shape->layer[l].rows * columns * unit;
        time += summand__outer_line_time(call, SUMMAND__OUTER_LINE_BLOCKS, strip, model) +
                summand__outer_line_time(call, SUMMAND__OUTER_LINE_STRIPS, whole, model);
        if (shape->grid_columns > 1)
            time += 2 * strip * model->copy_byte;
    }
    return time;
}

static bool has_parts(const struct summand__call *call)
{
    int kinds = is_whole(call) ? SUMMAND__OUTER_LINE_STRIPS : SUMMAND__OUTER_LINE_B;
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
           (rows || shape->result == SUMMAND__OUTER_BLOCKS || summand__outer_spreads(call)) &&
           has_parts(call);
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
    .estimate = estimate,
};
