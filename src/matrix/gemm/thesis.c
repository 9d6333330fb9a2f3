/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs: the product of Schmidtobreick's dissertation, corrected, for comparison.
 *
 * How: blocks of C are computed one after another, along diagonals, so that consecutive blocks
 *   belong to different ranks. Pairs compute a block: a rank with pieces of A and one with pieces
 *   of B for the same inner pieces. Each sends the other one the pieces for its half, some pieces
 *   ahead, into a ring of slots with credits, and multiplies meanwhile. Then each puts its part of
 *   the block to the rank that holds it. That rank adds the parts in one order, after its part of
 *   its next block. Rings continue from block to block and from start to start; there is no
 *   barrier. A rank has a ring only for the ranks that send to it in some block.
 * When: only if it is named. Predicted, and simulated on 128 ranks, it is faster than panels for
 *   n = 1024 on 128 and 512 ranks (docs/results/gemm_figures.md).
 * Cost: half of the pieces of A once for each column of blocks of C, half of those of B once for
 *   each row; two parts of C for each block and pair.
 * Restrictions: the parts depend on the grids, so the bits are the same only for the same grids and
 *   blocks.
 * Source: Schmidtobreick (2017), chapter 5, algorithms 4, 6 and 7; there with four slots, no
 *   credits, a barrier between blocks and equal grids. */
#include <stdlib.h>

#include "matrix/gemm/thesis_work.h"

enum { SLOTS = 4, PARTS = 2, PUT_BUFFER = PARTS, SUM_BUFFER };

struct traffic {
    size_t sent, arrived, made, taken; /* so far */
    size_t all_sent, all_made;         /* of a start: this rank's puts to that rank */
    struct summand__gemm_seat pieces, parts;
};

struct thesis {
    struct summand__gemm_work work; /* the first member */
    struct traffic *other;          /* of each rank */
    size_t slots, ahead;
    size_t rings, makers;               /* most seats of a rank: for pieces, and for parts */
    size_t own;                         /* blocks of C of this rank's so far */
    struct summand__gemm_block pending; /* the last of these, whose parts are to be added */
};

/* Piece number `number` of the ring with that seat. */
static size_t slot_at(const struct thesis *t, size_t seat, size_t number)
{
    return (seat * t->slots + number % t->slots) * t->work.plan.most_piece;
}

static void put_piece(struct summand__gemm_work *work, int peer, enum summand__gemm_side side,
                      size_t k)
{
    struct thesis *t = (struct thesis *)work;
    struct summand__schedule *schedule = t->work.build.schedule;
    struct traffic *other = &t->other[peer];
    struct summand__region from = summand__gemm_work_piece(&t->work, side, k);
    summand__wait_counter(schedule,
                          summand__gemm_counter(&t->work.build, SUMMAND__GEMM_CREDITS, peer),
                          summand__gemm_credits_for(t->slots, other->all_sent, other->sent));
    summand__put(schedule, peer, from,
                 summand__region((enum summand__place)SUMMAND__GEMM_SLOTS,
                                 slot_at(t, other->pieces.there, other->sent), from.count));
    summand__notify(
        schedule, peer,
        summand__gemm_counter(&t->work.build, SUMMAND__GEMM_ARRIVED, t->work.build.rank));
    other->sent++;
}

static void take_piece(struct summand__gemm_work *work, int peer, enum summand__gemm_side side,
                       size_t k)
{
    struct thesis *t = (struct thesis *)work;
    struct summand__schedule *schedule = t->work.build.schedule;
    struct traffic *other = &t->other[peer];
    size_t slot = slot_at(t, other->pieces.here, other->arrived);
    summand__wait_counter(schedule,
                          summand__gemm_counter(&t->work.build, SUMMAND__GEMM_ARRIVED, peer),
                          (int64_t)++other->arrived);
    summand__gemm_work_multiply(&t->work, side, k, slot);
    summand__notify(
        schedule, peer,
        summand__gemm_counter(&t->work.build, SUMMAND__GEMM_CREDITS, t->work.build.rank));
}

static size_t part_at(const struct thesis *t, size_t seat, size_t number)
{
    return (seat * PARTS + number % PARTS) * t->work.plan.result;
}

static void put_part(struct thesis *t, int owner)
{
    struct summand__schedule *schedule = t->work.build.schedule;
    struct traffic *other = &t->other[owner];
    size_t count = (size_t)(summand__gemm_work_outer(&t->work, SUMMAND__GEMM_A) *
                            summand__gemm_work_outer(&t->work, SUMMAND__GEMM_B));
    summand__round(schedule); /* the part is there */
    summand__wait_counter(schedule,
                          summand__gemm_counter(&t->work.build, SUMMAND__GEMM_TAKEN, owner),
                          summand__gemm_credits_for(PARTS, other->all_made, other->made));
    summand__put(schedule, owner,
                 summand__region((enum summand__place)SUMMAND__GEMM_TILE,
                                 t->work.buffer * t->work.plan.result, count),
                 summand__region((enum summand__place)SUMMAND__GEMM_RESULTS,
                                 part_at(t, other->parts.there, other->made), count));
    summand__notify(schedule, owner,
                    summand__gemm_counter(&t->work.build, SUMMAND__GEMM_MADE, t->work.build.rank));
    other->made++;
}

/* The place of a rank's part of this rank's block. */
static struct summand__gemm_target part_of(struct thesis *t, int maker, size_t own)
{
    struct summand__gemm_target part = summand__gemm_work_part(&t->work, own % PARTS);
    if (maker == t->work.build.rank)
        return part;
    struct traffic *other = &t->other[maker];
    part.array.place = SUMMAND__GEMM_RESULTS;
    part.array.first = part_at(t, other->parts.here, other->taken);
    summand__wait_counter(t->work.build.schedule,
                          summand__gemm_counter(&t->work.build, SUMMAND__GEMM_MADE, maker),
                          (int64_t)++other->taken);
    return part;
}

/* Adds the parts of a block of this rank's, its number `own`, into C. */
static void collect(struct thesis *t, struct summand__gemm_block block, size_t own)
{
    summand__gemm_thesis_look(&t->work.plan, block);
    const struct summand__gemm_thesis *plan = &t->work.plan;
    struct summand__gemm_target sum = summand__gemm_work_part(&t->work, SUM_BUFFER);
    struct summand__gemm_target result = summand__gemm_work_result(&t->work);
    for (size_t m = 0; m < plan->makers; m++) {
        struct summand__gemm_target part = part_of(t, plan->maker[m], own);
        if (plan->makers == 1)
            summand__gemm_apply(&t->work.build, &part, &result);
        else
            summand__gemm_add(&t->work.build, &part, &sum, !m);
        if (plan->maker[m] != t->work.build.rank)
            summand__notify(
                t->work.build.schedule, plan->maker[m],
                summand__gemm_counter(&t->work.build, SUMMAND__GEMM_TAKEN, t->work.build.rank));
    }
    if (plan->makers > 1)
        summand__gemm_apply(&t->work.build, &sum, &result);
    summand__gemm_finish(&t->work.build, &result);
}

static void do_block(struct thesis *t, struct summand__gemm_block block)
{
    bool owns = summand__gemm_thesis_owns(&t->work.plan, block, t->work.build.rank);
    if (!owns && !t->work.in_row[block.row] && !t->work.in_column[block.column])
        return;
    summand__gemm_thesis_look(&t->work.plan, block);
    int owner = summand__gemm_thesis_owner(&t->work.plan);
    t->work.made = false;
    t->work.buffer = owns ? t->own % PARTS : PUT_BUFFER;
    summand__gemm_work_pack(&t->work);
    for (size_t p = 0; p < t->work.plan.pairs; p++)
        if (summand__gemm_work_is_in(&t->work, &t->work.plan.pair[p]))
            summand__gemm_work_pair(&t->work, p, t->ahead, put_piece, take_piece);
    if (t->work.made && !owns)
        put_part(t, owner);
    summand__round(t->work.build.schedule);
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
    for (size_t p = 0; p < t->work.plan.pairs; p++) {
        const struct summand__gemm_pair *pair = &t->work.plan.pair[p];
        if (pair->a != pair->b && pair->a == rank)
            t->other[pair->b].all_sent += times * (pair->size - pair->half);
        if (pair->a != pair->b && pair->b == rank)
            t->other[pair->a].all_sent += times * pair->half;
    }
    for (size_t m = 0; m < t->work.plan.makers; m++)
        makes = makes || t->work.plan.maker[m] == rank;
    int owner = summand__gemm_thesis_owner(&t->work.plan);
    if (makes && owner != rank)
        t->other[owner].all_made += times;
}

/* Counts that, and sets the seats. False when out of memory. */
static bool count_traffic(struct thesis *t, const struct summand__call *call)
{
    struct summand__gemm_seats pieces, parts;
    bool good = summand__gemm_seats_init(&pieces, call->ranks);
    good = summand__gemm_seats_init(&parts, call->ranks) && good;
    const struct summand__gemm_kinds *rows = &t->work.plan.row_kinds,
                                     *columns = &t->work.plan.column_kinds;
    for (size_t i = 0; i < rows->count && good; i++)
        for (size_t j = 0; j < columns->count; j++) {
            const struct summand__gemm_block block = {rows->example[i], columns->example[j]};
            summand__gemm_thesis_look(&t->work.plan, block);
            count_puts(t, call->rank, rows->members[i] * columns->members[j]);
            summand__gemm_thesis_seat(&t->work.plan, &pieces, &parts);
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

static void expect(const struct thesis *t)
{
    for (int rank = 0; rank < t->work.build.call->ranks; rank++) {
        const struct traffic *other = &t->other[rank];
        summand__gemm_expect(&t->work.build, SUMMAND__GEMM_ARRIVED, rank, other->arrived);
        summand__gemm_expect(&t->work.build, SUMMAND__GEMM_CREDITS, rank, other->all_sent);
        summand__gemm_expect(&t->work.build, SUMMAND__GEMM_MADE, rank, other->taken);
        summand__gemm_expect(&t->work.build, SUMMAND__GEMM_TAKEN, rank, other->all_made);
    }
}

void summand__gemm_pairs_build(const struct summand__algorithm *algorithm,
                               const struct summand__call *call, struct summand__schedule *schedule)
{
    const struct summand__gemm_shape *shape = call->gemm;
    struct thesis t = {.slots = shape->slots && shape->slots < SLOTS ? shape->slots : SLOTS};
    bool good = summand__gemm_thesis_init(&t.work.plan, shape, algorithm);
    size_t ranks = (size_t)call->ranks;
    t.ahead = t.slots > 2 ? 2 : 1;
    t.other = calloc(ranks, sizeof *t.other);
    good = good && t.other &&
           (!summand__gemm_inner(shape) ||
            (summand__gemm_work_init(&t.work, call->rank) && count_traffic(&t, call)));
    t.work.build = summand__gemm_begin(call, schedule, t.rings * t.slots * t.work.plan.most_piece,
                                       t.makers * PARTS * t.work.plan.result);
    schedule->failed = schedule->failed || !good;
    if (!schedule->failed && !summand__gemm_inner(shape))
        summand__gemm_only_update(&t.work.build);
    if (!schedule->failed && summand__gemm_inner(shape)) {
        summand__gemm_room(&t.work.build, SUMMAND__GEMM_TILE,
                           (SUM_BUFFER + 1) * t.work.plan.result);
        for (size_t step = 0; step < summand__gemm_thesis_steps(&t.work.plan); step++)
            do_block(&t, summand__gemm_thesis_block(&t.work.plan, step));
        if (t.own)
            collect(&t, t.pending, t.own - 1);
        expect(&t);
    }
    summand__round(schedule);
    free(t.other);
    summand__gemm_work_free(&t.work);
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

struct summand__cost summand__gemm_pairs_cost(const struct summand__algorithm *algorithm,
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

bool summand__gemm_pairs_applicable(const struct summand__call *call)
{
    return call->gemm;
}

/* Neighbours on the diagonal have different rows and columns, so different ranks. */
static struct summand__gemm_block by_diagonals(size_t step, size_t rows, size_t columns)
{
    return (struct summand__gemm_block){step % rows, (step % rows + step / rows) % columns};
}

const struct summand__algorithm summand__gemm_pairs =
    SUMMAND__GEMM_PAIRS("gemm-pairs", "along diagonals", by_diagonals);
