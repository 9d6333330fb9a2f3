/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs: the product of Schmidtobreick's dissertation, corrected, for comparison.
 *
 * How: blocks of C are computed one after another, along diagonals, so that consecutive blocks
 *   belong to different ranks; or row by row, where ranks wait for each other. Pairs compute a
 *   block: a rank with pieces of A and one with pieces of B for the same inner pieces. Each sends
 *   the other one the pieces for its half, some pieces ahead, into a ring of slots with credits,
 *   and multiplies meanwhile. Then each puts its part of the block to the rank that holds it. That
 *   rank adds the parts in one order, after its part of its next block. Rings continue from block
 *   to block and from start to start; there is no barrier. A rank has a ring only for the ranks
 *   that send to it in some block.
 * When: only if it is named.
 * Cost: half of the pieces of A once for each column of blocks of C, half of those of B once for
 *   each row; two parts of C for each block and pair.
 * Restrictions: the parts depend on the grids, so the bits are the same only for the same grids and
 *   blocks.
 * Source: Schmidtobreick (2017), chapter 5, algorithms 4, 6 and 7, and 8 for the rows; there with
 *   four slots, no credits, a barrier between blocks and equal grids. */
#include <stdlib.h>

#include "compute/kernels.h"
#include "matrix/gemm/build.h"
#include "matrix/gemm/thesis_plan.h"
#include "shape/cyclic.h"

enum { SLOTS = 4, PARTS = 2, PUT_BUFFER = PARTS, SUM_BUFFER };

struct traffic {
    size_t sent, arrived, made, taken; /* so far */
    size_t all_sent, all_made;         /* of a start: this rank's puts to that rank */
    struct summand__gemm_seat pieces, parts;
};

struct thesis {
    struct summand__gemm_build build;
    struct summand__gemm_thesis plan;
    struct traffic *other; /* of each rank */
    size_t slots, ahead;
    size_t rings, makers;               /* most seats of a rank: for pieces, and for parts */
    size_t own;                         /* blocks of C of this rank's so far */
    struct summand__gemm_block pending; /* the last of these, whose parts are to be added */
    size_t room;                        /* of packed pieces, in this step */
    bool made;                          /* this rank computes a part of this block */
    size_t buffer;                      /* the buffer of that part */
    bool *in_row, *in_column;           /* of blocks: this rank has pieces of A, of B there */
};

/* The piece of A or B for an inner piece of the block. */
static const struct summand__holder *holder_of(const struct thesis *t, enum summand__gemm_side side,
                                               size_t k)
{
    const struct summand__gemm_thesis *plan = &t->plan;
    return side == SUMMAND__GEMM_A
               ? &plan->shape->a.holder[plan->a[plan->row * plan->inner.count + k]]
               : &plan->shape->b.holder[plan->b[k * plan->columns.count + plan->column]];
}

static int64_t outer_of(const struct thesis *t, enum summand__gemm_side side)
{
    return side == SUMMAND__GEMM_A ? summand__gemm_cut(&t->plan.rows, t->plan.row)
                                   : summand__gemm_cut(&t->plan.columns, t->plan.column);
}

static size_t elements_of(const struct thesis *t, enum summand__gemm_side side, size_t k)
{
    return (size_t)(outer_of(t, side) * summand__gemm_cut(&t->plan.inner, k));
}

static size_t offset_of(const struct summand__share *share, int64_t index)
{
    struct summand__interval interval;
    return summand__share_next(share, index, &interval) ? (size_t)interval.offset : 0;
}

/* The first element of this rank's own piece, and its stored rows and columns. */
static struct summand__columns own_piece(const struct thesis *t, enum summand__gemm_side side,
                                         size_t k, size_t *rows, size_t *columns)
{
    const struct summand__holder *holder = holder_of(t, side, k);
    bool inner_rows = summand__gemm_inner_rows(t->build.shape, side);
    int64_t inner = t->plan.inner.first[k], width = summand__gemm_cut(&t->plan.inner, k);
    int64_t outer = side == SUMMAND__GEMM_A ? t->plan.rows.first[t->plan.row]
                                            : t->plan.columns.first[t->plan.column];
    struct summand__columns array = summand__gemm_array(&t->build, side);
    array.first += offset_of(&holder->columns, inner_rows ? outer : inner) * array.lead +
                   offset_of(&holder->rows, inner_rows ? inner : outer);
    *rows = (size_t)(inner_rows ? width : outer_of(t, side));
    *columns = (size_t)(inner_rows ? outer_of(t, side) : width);
    return array;
}

static struct summand__gemm_segment segment_of(const struct thesis *t, enum summand__gemm_side side,
                                               size_t k, const struct summand__columns *slot)
{
    size_t rows, columns;
    struct summand__columns array = slot ? *slot : own_piece(t, side, k, &rows, &columns);
    return (struct summand__gemm_segment){t->plan.inner.first[k],
                                          summand__gemm_cut(&t->plan.inner, k), array};
}

/* Adds the product of the pieces to this rank's part of the block; received pieces lie in
 * `slot`. */
static void multiply(struct thesis *t, size_t k, enum summand__gemm_side came,
                     const struct summand__columns *slot)
{
    struct summand__gemm_segment a =
        segment_of(t, SUMMAND__GEMM_A, k, came == SUMMAND__GEMM_A ? slot : NULL);
    struct summand__gemm_segment b =
        segment_of(t, SUMMAND__GEMM_B, k, came == SUMMAND__GEMM_B ? slot : NULL);
    int64_t rows = outer_of(t, SUMMAND__GEMM_A);
    struct summand__gemm_target target = {
        {SUMMAND__GEMM_TILE, t->buffer * t->plan.result, (size_t)rows},
        rows,
        outer_of(t, SUMMAND__GEMM_B)};
    summand__gemm_multiply(&t->build, &a, &b, a.k, a.count, &target, !t->made, false);
    t->made = true;
}

/* Piece number `number` of the ring with that seat. */
static size_t slot_at(const struct thesis *t, size_t seat, size_t number)
{
    return (seat * t->slots + number % t->slots) * t->plan.most_piece;
}

/* A contiguous piece: in place if it is contiguous there, else packed. `packs`: this is the packing
 * round. */
static struct summand__region gathered(struct thesis *t, enum summand__gemm_side side, size_t k,
                                       bool packs)
{
    size_t rows, columns, count = elements_of(t, side, k);
    struct summand__columns own = own_piece(t, side, k, &rows, &columns);
    if (rows == own.lead || columns == 1)
        return summand__region((enum summand__place)own.place, own.first, count);
    size_t first = t->room;
    t->room += count;
    summand__gemm_room(&t->build, SUMMAND__GEMM_PACKED, t->room);
    if (packs)
        summand__compute(t->build.schedule, summand__kernel_named("pack"),
                         summand__tile(own.place, own.first, columns, rows, own.lead),
                         (struct summand__tile){0},
                         summand__tile(SUMMAND__GEMM_PACKED, first, 1, count, count), false);
    return summand__region((enum summand__place)SUMMAND__GEMM_PACKED, first, count);
}

static void put_piece(struct thesis *t, int peer, enum summand__gemm_side side, size_t k)
{
    struct summand__schedule *schedule = t->build.schedule;
    struct traffic *other = &t->other[peer];
    struct summand__region from = gathered(t, side, k, false);
    summand__wait_counter(schedule, summand__gemm_counter(&t->build, SUMMAND__GEMM_CREDITS, peer),
                          summand__gemm_credits_for(t->slots, other->all_sent, other->sent));
    summand__put(schedule, peer, from,
                 summand__region((enum summand__place)SUMMAND__GEMM_SLOTS,
                                 slot_at(t, other->pieces.there, other->sent), from.count));
    summand__notify(schedule, peer,
                    summand__gemm_counter(&t->build, SUMMAND__GEMM_ARRIVED, t->build.rank));
    other->sent++;
}

static void take_piece(struct thesis *t, int peer, enum summand__gemm_side side, size_t k)
{
    struct summand__schedule *schedule = t->build.schedule;
    struct traffic *other = &t->other[peer];
    bool inner_rows = summand__gemm_inner_rows(t->build.shape, side);
    struct summand__columns slot = {
        SUMMAND__GEMM_SLOTS, slot_at(t, other->pieces.here, other->arrived),
        (size_t)(inner_rows ? summand__gemm_cut(&t->plan.inner, k) : outer_of(t, side))};
    summand__wait_counter(schedule, summand__gemm_counter(&t->build, SUMMAND__GEMM_ARRIVED, peer),
                          (int64_t)++other->arrived);
    multiply(t, k, side, &slot);
    summand__notify(schedule, peer,
                    summand__gemm_counter(&t->build, SUMMAND__GEMM_CREDITS, t->build.rank));
}

/* An inner piece of a pair. */
static size_t inner_of(const struct thesis *t, size_t pair, size_t number)
{
    return t->plan.piece[t->plan.pair[pair].begin + number];
}

/* Both halves of a pair: this rank multiplies [begin, begin + takes) of its pieces with those that
 * the other rank sends, and sends the pieces for the rest. */
static void work(struct thesis *t, size_t number)
{
    const struct summand__gemm_pair *pair = &t->plan.pair[number];
    bool is_a = pair->a == t->build.rank;
    enum summand__gemm_side sends = is_a ? SUMMAND__GEMM_A : SUMMAND__GEMM_B;
    enum summand__gemm_side comes = is_a ? SUMMAND__GEMM_B : SUMMAND__GEMM_A;
    int peer = is_a ? pair->b : pair->a;
    size_t begin = is_a ? 0 : pair->half, takes = is_a ? pair->half : pair->size - pair->half;
    size_t from = is_a ? pair->half : 0, gives = pair->size - takes, sent = 0;
    for (size_t r = 0; r <= takes; r++) {
        for (; sent < gives && (sent < r + t->ahead || r == takes); sent++)
            put_piece(t, peer, sends, inner_of(t, number, from + sent));
        if (r < takes)
            take_piece(t, peer, comes, inner_of(t, number, begin + r));
    }
}

static void work_alone(struct thesis *t, size_t number)
{
    for (size_t n = 0; n < t->plan.pair[number].size; n++)
        multiply(t, inner_of(t, number, n), SUMMAND__GEMM_A, NULL);
}

static bool is_in(const struct thesis *t, const struct summand__gemm_pair *pair)
{
    return pair->a == t->build.rank || pair->b == t->build.rank;
}

/* A round that packs this rank's pieces for the block. */
static void pack(struct thesis *t)
{
    t->room = 0;
    for (size_t p = 0; p < t->plan.pairs; p++) {
        const struct summand__gemm_pair *pair = &t->plan.pair[p];
        bool is_a = pair->a == t->build.rank;
        if (!is_in(t, pair) || pair->a == pair->b)
            continue;
        for (size_t n = is_a ? pair->half : 0; n < (is_a ? pair->size : pair->half); n++)
            gathered(t, is_a ? SUMMAND__GEMM_A : SUMMAND__GEMM_B, inner_of(t, p, n), true);
    }
    if (t->room)
        summand__round(t->build.schedule);
    t->room = 0;
}

static size_t part_at(const struct thesis *t, size_t seat, size_t number)
{
    return (seat * PARTS + number % PARTS) * t->plan.result;
}

static void put_part(struct thesis *t, int owner)
{
    struct summand__schedule *schedule = t->build.schedule;
    struct traffic *other = &t->other[owner];
    size_t count = (size_t)(outer_of(t, SUMMAND__GEMM_A) * outer_of(t, SUMMAND__GEMM_B));
    summand__round(schedule); /* the part is there */
    summand__wait_counter(schedule, summand__gemm_counter(&t->build, SUMMAND__GEMM_TAKEN, owner),
                          summand__gemm_credits_for(PARTS, other->all_made, other->made));
    summand__put(
        schedule, owner,
        summand__region((enum summand__place)SUMMAND__GEMM_TILE, t->buffer * t->plan.result, count),
        summand__region((enum summand__place)SUMMAND__GEMM_RESULTS,
                        part_at(t, other->parts.there, other->made), count));
    summand__notify(schedule, owner,
                    summand__gemm_counter(&t->build, SUMMAND__GEMM_MADE, t->build.rank));
    other->made++;
}

/* The place of a rank's part of this rank's block. */
static struct summand__gemm_target part_of(struct thesis *t, int maker, size_t own)
{
    int64_t rows = outer_of(t, SUMMAND__GEMM_A);
    struct summand__gemm_target part = {
        {SUMMAND__GEMM_TILE, own % PARTS * t->plan.result, (size_t)rows},
        rows,
        outer_of(t, SUMMAND__GEMM_B)};
    if (maker == t->build.rank)
        return part;
    struct traffic *other = &t->other[maker];
    part.array.place = SUMMAND__GEMM_RESULTS;
    part.array.first = part_at(t, other->parts.here, other->taken);
    summand__wait_counter(t->build.schedule,
                          summand__gemm_counter(&t->build, SUMMAND__GEMM_MADE, maker),
                          (int64_t)++other->taken);
    return part;
}

/* Adds the parts of a block of this rank's, its number `own`, into C. */
static void collect(struct thesis *t, struct summand__gemm_block block, size_t own)
{
    summand__gemm_thesis_look(&t->plan, block);
    const struct summand__gemm_thesis *plan = &t->plan;
    const struct summand__gemm_operand *c = &t->build.shape->c;
    const struct summand__holder *holder =
        &c->holder[plan->c[plan->row * plan->columns.count + plan->column]];
    int64_t rows = outer_of(t, SUMMAND__GEMM_A), columns = outer_of(t, SUMMAND__GEMM_B);
    size_t lead = summand__gemm_lead(c, summand__gemm_holder(c, t->build.rank));
    struct summand__gemm_target sum = {
        {SUMMAND__GEMM_TILE, SUM_BUFFER * plan->result, (size_t)rows}, rows, columns};
    struct summand__gemm_target result = {
        {SUMMAND__GEMM_PLACE_C,
         offset_of(&holder->columns, plan->columns.first[plan->column]) * lead +
             offset_of(&holder->rows, plan->rows.first[plan->row]),
         lead},
        rows,
        columns};
    for (size_t m = 0; m < plan->makers; m++) {
        struct summand__gemm_target part = part_of(t, plan->maker[m], own);
        if (plan->makers == 1)
            summand__gemm_apply(&t->build, &part, &result);
        else
            summand__gemm_add(&t->build, &part, &sum, !m);
        if (plan->maker[m] != t->build.rank)
            summand__notify(t->build.schedule, plan->maker[m],
                            summand__gemm_counter(&t->build, SUMMAND__GEMM_TAKEN, t->build.rank));
    }
    if (plan->makers > 1)
        summand__gemm_apply(&t->build, &sum, &result);
    summand__gemm_finish(&t->build, &result);
}

static void do_block(struct thesis *t, struct summand__gemm_block block)
{
    bool owns = summand__gemm_thesis_owns(&t->plan, block, t->build.rank);
    if (!owns && !t->in_row[block.row] && !t->in_column[block.column])
        return;
    summand__gemm_thesis_look(&t->plan, block);
    int owner = summand__gemm_thesis_owner(&t->plan);
    t->made = false;
    t->buffer = owns ? t->own % PARTS : PUT_BUFFER;
    pack(t);
    for (size_t p = 0; p < t->plan.pairs; p++)
        if (is_in(t, &t->plan.pair[p]))
            (t->plan.pair[p].a == t->plan.pair[p].b ? work_alone : work)(t, p);
    if (t->made && !owns)
        put_part(t, owner);
    summand__round(t->build.schedule);
    if (!owns)
        return;
    if (t->own++)
        collect(t, t->pending, t->own - 2);
    t->pending = block;
}

/* Counts this rank's puts to each other rank in a start, for `times` blocks like the current one.
 */
static void count_puts(struct thesis *t, int rank, size_t times)
{
    bool makes = false;
    for (size_t p = 0; p < t->plan.pairs; p++) {
        const struct summand__gemm_pair *pair = &t->plan.pair[p];
        if (pair->a != pair->b && pair->a == rank)
            t->other[pair->b].all_sent += times * (pair->size - pair->half);
        if (pair->a != pair->b && pair->b == rank)
            t->other[pair->a].all_sent += times * pair->half;
    }
    for (size_t m = 0; m < t->plan.makers; m++)
        makes = makes || t->plan.maker[m] == rank;
    int owner = summand__gemm_thesis_owner(&t->plan);
    if (makes && owner != rank)
        t->other[owner].all_made += times;
}

/* Counts that, and sets the seats. False when out of memory. */
static bool count_traffic(struct thesis *t, const struct summand__call *call)
{
    struct summand__gemm_seats pieces, parts;
    bool good = summand__gemm_seats_init(&pieces, call->ranks);
    good = summand__gemm_seats_init(&parts, call->ranks) && good;
    const struct summand__gemm_kinds *rows = &t->plan.row_kinds, *columns = &t->plan.column_kinds;
    for (size_t i = 0; i < rows->count && good; i++)
        for (size_t j = 0; j < columns->count; j++) {
            const struct summand__gemm_block block = {rows->example[i], columns->example[j]};
            summand__gemm_thesis_look(&t->plan, block);
            count_puts(t, call->rank, rows->members[i] * columns->members[j]);
            summand__gemm_thesis_seat(&t->plan, &pieces, &parts);
        }
    for (int rank = 0; rank < call->ranks && good; rank++) {
        t->other[rank].pieces = summand__gemm_seat_of(&pieces, call->rank, rank);
        t->other[rank].parts = summand__gemm_seat_of(&parts, call->rank, rank);
    }
    t->rings = good ? summand__gemm_seats_most(&pieces) : 0;
    t->makers = good ? summand__gemm_seats_most(&parts) : 0;
    summand__gemm_seats_free(&pieces);
    summand__gemm_seats_free(&parts);
    return good;
}

/* False when out of memory. */
static bool find_own(struct thesis *t, int rank)
{
    t->in_row = malloc(t->plan.rows.count + 1);
    t->in_column = malloc(t->plan.columns.count + 1);
    for (size_t i = 0; t->in_row && i < t->plan.rows.count; i++)
        t->in_row[i] = summand__gemm_thesis_in_row(&t->plan, i, rank);
    for (size_t j = 0; t->in_column && j < t->plan.columns.count; j++)
        t->in_column[j] = summand__gemm_thesis_in_column(&t->plan, j, rank);
    return t->in_row && t->in_column;
}

static void expect(const struct thesis *t)
{
    for (int rank = 0; rank < t->build.call->ranks; rank++) {
        const struct traffic *other = &t->other[rank];
        summand__gemm_expect(&t->build, SUMMAND__GEMM_ARRIVED, rank, other->arrived);
        summand__gemm_expect(&t->build, SUMMAND__GEMM_CREDITS, rank, other->all_sent);
        summand__gemm_expect(&t->build, SUMMAND__GEMM_MADE, rank, other->taken);
        summand__gemm_expect(&t->build, SUMMAND__GEMM_TAKEN, rank, other->all_made);
    }
}

static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    const struct summand__gemm_shape *shape = call->gemm;
    struct thesis t = {.slots = shape->slots && shape->slots < SLOTS ? shape->slots : SLOTS};
    bool good = summand__gemm_thesis_init(&t.plan, shape, algorithm);
    size_t ranks = (size_t)call->ranks;
    t.ahead = t.slots > 2 ? 2 : 1;
    t.other = calloc(ranks, sizeof *t.other);
    good = good && t.other &&
           (!summand__gemm_inner(shape) || (find_own(&t, call->rank) && count_traffic(&t, call)));
    t.build = summand__gemm_begin(call, schedule, t.rings * t.slots * t.plan.most_piece,
                                  t.makers * PARTS * t.plan.result);
    schedule->failed = schedule->failed || !good;
    if (!schedule->failed && !summand__gemm_inner(shape))
        summand__gemm_only_update(&t.build);
    if (!schedule->failed && summand__gemm_inner(shape)) {
        summand__gemm_room(&t.build, SUMMAND__GEMM_TILE, (SUM_BUFFER + 1) * t.plan.result);
        for (size_t step = 0; step < summand__gemm_thesis_steps(&t.plan); step++)
            do_block(&t, summand__gemm_thesis_block(&t.plan, step));
        if (t.own)
            collect(&t, t.pending, t.own - 1);
        expect(&t);
    }
    summand__round(schedule);
    free(t.other);
    free(t.in_row);
    free(t.in_column);
    summand__gemm_thesis_free(&t.plan);
}

static void add_step(const struct summand__gemm_thesis *plan, struct summand__cost *cost)
{
    size_t rows = (size_t)summand__gemm_cut(&plan->rows, plan->row),
           columns = (size_t)summand__gemm_cut(&plan->columns, plan->column);
    int owner = summand__gemm_thesis_owner(plan);
    for (size_t k = 0; k < plan->inner.count; k++) {
        const struct summand__gemm_pair *pair = &plan->pair[plan->pair_of[k]];
        if (pair->a == pair->b)
            continue;
        bool by_a = plan->number[k] < pair->half;
        cost->messages++;
        cost->elements += (by_a ? columns : rows) * (size_t)summand__gemm_cut(&plan->inner, k);
    }
    for (size_t m = 0; m < plan->makers; m++)
        if (plan->maker[m] != owner) {
            cost->messages++;
            cost->elements += rows * columns;
        }
    cost->depth += plan->inner.count + 2;
}

/* The cost of puts. */
static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)depth;
    struct summand__gemm_thesis plan;
    struct summand__cost cost = {.depth_at_most = true};
    cost.unknown = !summand__gemm_thesis_init(&plan, call->gemm, algorithm);
    if (!cost.unknown && summand__gemm_inner(call->gemm))
        for (size_t step = 0; step < summand__gemm_thesis_steps(&plan); step++) {
            summand__gemm_thesis_look(&plan, summand__gemm_thesis_block(&plan, step));
            add_step(&plan, &cost);
        }
    summand__gemm_thesis_free(&plan);
    return cost;
}

static bool applicable(const struct summand__call *call)
{
    return call->gemm;
}

/* Neighbours on the diagonal have different rows and columns, so different ranks. */
static struct summand__gemm_block by_diagonals(size_t step, size_t rows, size_t columns)
{
    return (struct summand__gemm_block){step % rows, (step % rows + step / rows) % columns};
}

static struct summand__gemm_block by_rows(size_t step, size_t rows, size_t columns)
{
    (void)rows;
    return (struct summand__gemm_block){step / columns, step % columns};
}

#define PAIRS(word, says, ordered)                                                                 \
    {                                                                                              \
        .name = word,                                                                              \
        .description =                                                                             \
            "blocks of C " says "; pairs of ranks split the inner sum, then owners add the parts", \
        .source = "Schmidtobreick (2017)", .promises = SUMMAND__SAME_BITS,                         \
        .applicable = applicable, .build = {[SUMMAND__COLL_GEMM] = build}, .cost = cost,           \
        .order = ordered                                                                           \
    }

const struct summand__algorithm summand__gemm_pairs =
    PAIRS("gemm-pairs", "along diagonals", by_diagonals);
const struct summand__algorithm summand__gemm_pairs_rows =
    PAIRS("gemm-pairs-rows", "row by row", by_rows);
