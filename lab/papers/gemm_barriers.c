/* SPDX-License-Identifier: BSD-3-Clause */
/* The product of Schmidtobreick's dissertation with its own synchronization, for comparison.
 *
 * How: a barrier of all ranks; then blocks of C along diagonals. For each block a barrier of the
 *   row of A and the column of B that compute it; pairs exchange pieces through five slots and
 *   multiply meanwhile; the row adds its sums in one all-reduce, the column in another one; the
 *   first rank of the column puts its sum to the rank that holds the block, which adds both.
 *   Barriers are by dissemination, all-reduces by recursive doubling, in calls of `segment`
 *   elements: GASPI's takes 255 at most.
 * When: only to see what the barriers and all-reduces cost. The library does not have it; it is
 *   beside, in summand-study and in bench/scale_gemm.c.
 * Cost: that of gemm-pairs for pieces; for each block 2 P log2 P messages of b^2 elements in
 *   calls, and 2 P log2 (2 P) notifications.
 * Restrictions: the bits depend on the grids and blocks.
 * Source: Schmidtobreick (2017), algorithms 4 to 7, with the ranges of algorithm 6 corrected so
 *   that every number of pieces ends. A column that multiplies nothing (one piece) adds nothing. */
#include <stdlib.h>

#include "matrix/gemm/thesis_work.h"

enum {
    AHEAD = 2,         /* pieces that are put before one is taken */
    SLOTS = AHEAD + 3, /* a pair may end with three that its peer has not taken, and another pair of
                          the same two ranks may begin */
    SIDES = SUMMAND__GEMM_SIDES,
    SUM = SIDES
};

/* Slots for the parts of others, of a side: folded ranks' and back, of the last sum, and of each
 * round. */
enum { FOLD, BACK, LAST, ROUNDS };

struct other {
    size_t sent, arrived; /* pieces of this block */
    size_t all_arrived, made, passed;
    struct summand__gemm_seat seat;
};

/* Ranks in the order in which they came, each once. */
struct group {
    int *rank;
    size_t count;
    bool *has; /* by rank */
};

struct barriers {
    struct summand__gemm_work work; /* the first member */
    struct other *other;            /* of each rank */
    struct group all, side[SIDES], group;
    size_t slots, segment; /* slots for parts of a side; elements of an all-reduce's call */
    bool made[SIDES];      /* this rank has a part of the side's sum */
};

static bool group_init(struct group *group, int ranks)
{
    *group = (struct group){malloc((size_t)ranks * sizeof *group->rank), 0,
                            calloc((size_t)ranks, sizeof *group->has)};
    return group->rank && group->has;
}

static void group_free(struct group *group)
{
    free(group->rank);
    free(group->has);
}

static void group_clear(struct group *group)
{
    for (size_t i = 0; i < group->count; i++)
        group->has[group->rank[i]] = false;
    group->count = 0;
}

static void group_add(struct group *group, int rank)
{
    if (group->has[rank])
        return;
    group->has[rank] = true;
    group->rank[group->count++] = rank;
}

static size_t number_in(const struct group *group, int rank)
{
    size_t i = 0;
    while (group->rank[i] != rank)
        i++;
    return i;
}

/* The ranks of the current block: those that have parts of both sums, and all. */
static void find_groups(struct barriers *b)
{
    const struct summand__gemm_thesis *plan = &b->work.plan;
    group_clear(&b->group);
    for (int side = 0; side < SIDES; side++)
        group_clear(&b->side[side]);
    for (size_t p = 0; p < plan->pairs; p++) {
        const struct summand__gemm_pair *pair = &plan->pair[p];
        group_add(&b->side[SUMMAND__GEMM_A], pair->a);
        if (pair->half < pair->size)
            group_add(&b->side[SUMMAND__GEMM_B], pair->b);
        group_add(&b->group, pair->a);
        group_add(&b->group, pair->b);
    }
    group_add(&b->group, summand__gemm_thesis_owner(plan));
}

static uint32_t counter(const struct barriers *b, enum summand__gemm_counter kind, int other)
{
    return summand__gemm_counter(&b->work.build, kind, other);
}

static void barrier(struct barriers *b, const struct group *group)
{
    struct summand__schedule *schedule = b->work.build.schedule;
    const size_t own = number_in(group, b->work.build.rank), count = group->count;
    summand__round(schedule);
    for (size_t distance = 1; distance < count; distance *= 2) {
        const int from = group->rank[(own + count - distance) % count];
        summand__notify(schedule, group->rank[(own + distance) % count],
                        counter(b, SUMMAND__GEMM_PASSED, b->work.build.rank));
        summand__wait_counter(schedule, counter(b, SUMMAND__GEMM_PASSED, from),
                              (int64_t)++b->other[from].passed);
    }
}

static size_t slot_of(const struct barriers *b, size_t seat, size_t number)
{
    return (seat * SLOTS + number % SLOTS) * b->work.plan.most_piece;
}

static void put_piece(struct summand__gemm_work *work, int peer, enum summand__gemm_side side,
                      size_t k)
{
    struct barriers *b = (struct barriers *)work;
    struct other *other = &b->other[peer];
    const struct summand__region from = summand__gemm_work_piece(work, side, k);
    summand__put(work->build.schedule, peer, from,
                 summand__region((enum summand__place)SUMMAND__GEMM_SLOTS,
                                 slot_of(b, other->seat.there, other->sent++), from.count));
    summand__notify(work->build.schedule, peer,
                    counter(b, SUMMAND__GEMM_ARRIVED, work->build.rank));
}

static void take_piece(struct summand__gemm_work *work, int peer, enum summand__gemm_side side,
                       size_t k)
{
    struct barriers *b = (struct barriers *)work;
    struct other *other = &b->other[peer];
    summand__wait_counter(work->build.schedule, counter(b, SUMMAND__GEMM_ARRIVED, peer),
                          (int64_t)++other->all_arrived);
    summand__gemm_work_multiply(work, side, k, slot_of(b, other->seat.here, other->arrived++));
}

/* Elements [first, first + count) of a part, as one column: in a tile, or in a slot of a side. */
struct piece {
    int side;
    size_t first, count;
};

static struct summand__gemm_target column(uint32_t place, size_t at, const struct piece *piece)
{
    return (struct summand__gemm_target){
        {place, at + piece->first, piece->count}, (int64_t)piece->count, 1};
}

static struct summand__gemm_target in_tile(const struct barriers *b, const struct piece *piece)
{
    return column(SUMMAND__GEMM_TILE, (size_t)piece->side * b->work.plan.result, piece);
}

static struct summand__gemm_target in_slot(const struct barriers *b, const struct piece *piece,
                                           size_t slot)
{
    return column(SUMMAND__GEMM_RESULTS,
                  ((size_t)piece->side * b->slots + slot) * b->work.plan.result, piece);
}

static void give(struct barriers *b, int peer, const struct piece *piece, size_t slot)
{
    struct summand__schedule *schedule = b->work.build.schedule;
    const size_t from = in_tile(b, piece).array.first, to = in_slot(b, piece, slot).array.first;
    summand__round(schedule); /* what is put is there */
    summand__put(schedule, peer,
                 summand__region((enum summand__place)SUMMAND__GEMM_TILE, from, piece->count),
                 summand__region((enum summand__place)SUMMAND__GEMM_RESULTS, to, piece->count));
    summand__notify(schedule, peer, counter(b, SUMMAND__GEMM_MADE, b->work.build.rank));
    summand__round(schedule); /* and may change */
}

static void take(struct barriers *b, int peer, const struct piece *piece, size_t slot, bool adds)
{
    const struct summand__gemm_target from = in_slot(b, piece, slot), to = in_tile(b, piece);
    summand__wait_counter(b->work.build.schedule, counter(b, SUMMAND__GEMM_MADE, peer),
                          (int64_t)++b->other[peer].made);
    summand__gemm_add(&b->work.build, &from, &to, !adds);
}

static size_t power_below(size_t count)
{
    size_t power = 1;
    while (2 * power <= count)
        power *= 2;
    return power;
}

/* One call: recursive doubling, with ranks beyond a power of two folded onto others before. */
static void add_call(struct barriers *b, const struct group *group, const struct piece *piece)
{
    const size_t own = number_in(group, b->work.build.rank), power = power_below(group->count);
    const size_t rest = group->count - power;
    if (own >= power) {
        give(b, group->rank[own - power], piece, FOLD);
        take(b, group->rank[own - power], piece, BACK, false);
        return;
    }
    if (own < rest)
        take(b, group->rank[own + power], piece, FOLD, true);
    size_t round = 0;
    for (size_t distance = 1; distance < power; distance *= 2, round++) {
        const int peer = group->rank[own ^ distance];
        give(b, peer, piece, ROUNDS + round);
        take(b, peer, piece, ROUNDS + round, true);
    }
    if (own < rest)
        give(b, group->rank[own + power], piece, BACK);
}

/* The all-reduce of a side, in calls. */
static void add_up(struct barriers *b, int side, size_t count)
{
    const struct group *group = &b->side[side];
    if (group->has[b->work.build.rank])
        for (size_t first = 0; first < count && group->count > 1; first += b->segment) {
            const size_t left = count - first;
            const struct piece piece = {side, first, left < b->segment ? left : b->segment};
            add_call(b, group, &piece);
        }
}

/* The sum of a side at the rank that holds the block; the side's first rank puts it there. */
static struct summand__gemm_target sum_of(struct barriers *b, int side, int owner)
{
    const struct group *group = &b->side[side];
    struct summand__gemm_target sum = summand__gemm_work_part(&b->work, (size_t)side);
    const struct piece whole = {side, 0, (size_t)(sum.rows * sum.columns)};
    if (group->has[owner])
        return sum;
    if (owner == b->work.build.rank)
        take(b, group->rank[0], &whole, LAST, false);
    else if (group->rank[0] == b->work.build.rank)
        give(b, owner, &whole, LAST);
    return sum;
}

static void finish(struct barriers *b, int owner)
{
    const struct summand__gemm_build *build = &b->work.build;
    const bool both = b->side[SUMMAND__GEMM_B].count;
    const struct summand__gemm_target first = sum_of(b, SUMMAND__GEMM_A, owner),
                                      sum = summand__gemm_work_part(&b->work, SUM);
    if (both) {
        const struct summand__gemm_target second = sum_of(b, SUMMAND__GEMM_B, owner);
        if (owner == build->rank) {
            summand__gemm_add(build, &first, &sum, true);
            summand__gemm_add(build, &second, &sum, false);
        }
    }
    if (owner != build->rank)
        return;
    const struct summand__gemm_target result = summand__gemm_work_result(&b->work);
    summand__gemm_apply(build, both ? &sum : &first, &result);
    summand__gemm_finish(build, &result);
}

static void do_block(struct barriers *b, struct summand__gemm_block block)
{
    struct summand__gemm_work *work = &b->work;
    const int rank = work->build.rank;
    if (!work->in_row[block.row] && !work->in_column[block.column] &&
        !summand__gemm_thesis_owns(&work->plan, block, rank))
        return;
    summand__gemm_thesis_look(&work->plan, block);
    find_groups(b);
    if (!b->group.has[rank])
        return;
    barrier(b, &b->group);
    for (int other = 0; other < work->build.call->ranks; other++)
        b->other[other].sent = b->other[other].arrived = 0;
    for (int side = 0; side < SIDES; side++)
        b->made[side] = false;
    summand__gemm_work_pack(work);
    for (size_t p = 0; p < work->plan.pairs; p++) {
        if (!summand__gemm_work_is_in(work, &work->plan.pair[p]))
            continue;
        const int side = work->plan.pair[p].a == rank ? SUMMAND__GEMM_A : SUMMAND__GEMM_B;
        work->buffer = (size_t)side;
        work->made = b->made[side];
        summand__gemm_work_pair(work, p, AHEAD, put_piece, take_piece);
        b->made[side] = work->made;
    }
    const struct summand__gemm_target part = summand__gemm_work_part(work, 0);
    for (int side = 0; side < SIDES; side++)
        add_up(b, side, (size_t)(part.rows * part.columns));
    finish(b, summand__gemm_thesis_owner(&work->plan));
}

static void expect(const struct barriers *b)
{
    for (int rank = 0; rank < b->work.build.call->ranks; rank++) {
        const struct other *other = &b->other[rank];
        summand__gemm_expect(&b->work.build, SUMMAND__GEMM_ARRIVED, rank, other->all_arrived);
        summand__gemm_expect(&b->work.build, SUMMAND__GEMM_MADE, rank, other->made);
        summand__gemm_expect(&b->work.build, SUMMAND__GEMM_PASSED, rank, other->passed);
    }
}

/* Rings for pieces: one for each rank that puts to this one in some block. Returns the most of a
 * rank, 0 when out of memory. */
static size_t find_seats(struct barriers *b, const struct summand__call *call)
{
    const struct summand__gemm_thesis *plan = &b->work.plan;
    struct summand__gemm_seats pieces, parts;
    bool good = summand__gemm_seats_init(&pieces, call->ranks);
    good = summand__gemm_seats_init(&parts, call->ranks) && good;
    for (size_t i = 0; i < plan->row_kinds.count && good; i++)
        for (size_t j = 0; j < plan->column_kinds.count; j++) {
            summand__gemm_thesis_look(&b->work.plan,
                                      (struct summand__gemm_block){plan->row_kinds.example[i],
                                                                   plan->column_kinds.example[j]});
            summand__gemm_thesis_seat(plan, &pieces, &parts);
        }
    for (int rank = 0; rank < call->ranks && good; rank++)
        b->other[rank].seat = summand__gemm_seat_of(&pieces, call->rank, rank);
    const size_t most = good ? summand__gemm_seats_most(&pieces) : 0;
    summand__gemm_seats_free(&pieces);
    summand__gemm_seats_free(&parts);
    return most;
}

/* False when out of memory. */
static bool begin(struct barriers *b, const struct summand__call *call)
{
    bool good = summand__gemm_work_init(&b->work, call->rank);
    b->other = calloc((size_t)call->ranks, sizeof *b->other);
    good = good && b->other;
    struct group *groups[] = {&b->all, &b->group, &b->side[0], &b->side[1]};
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        good = group_init(groups[g], call->ranks) && good;
    b->slots = ROUNDS;
    for (int ranks = 1; ranks < call->ranks; ranks *= 2)
        b->slots++;
    b->segment = call->parameter[SUMMAND__SEGMENT];
    return good;
}

static void end(struct barriers *b)
{
    group_free(&b->all);
    group_free(&b->group);
    for (int side = 0; side < SIDES; side++)
        group_free(&b->side[side]);
    free(b->other);
    summand__gemm_work_free(&b->work);
}

static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    struct barriers b = {.slots = 0};
    bool good = summand__gemm_thesis_init(&b.work.plan, call->gemm, algorithm);
    good = good && begin(&b, call);
    const bool none = !summand__gemm_inner(call->gemm);
    const size_t rings = good && !none ? find_seats(&b, call) : 0;
    b.work.build = summand__gemm_begin(call, schedule, rings * SLOTS * b.work.plan.most_piece,
                                       none ? 0 : SIDES * b.slots * b.work.plan.result);
    schedule->failed = schedule->failed || !good;
    if (!schedule->failed && none)
        summand__gemm_only_update(&b.work.build);
    if (!schedule->failed && !none) {
        for (int rank = 0; rank < call->ranks; rank++)
            group_add(&b.all, rank);
        summand__gemm_room(&b.work.build, SUMMAND__GEMM_TILE, (SUM + 1) * b.work.plan.result);
        barrier(&b, &b.all);
        for (size_t step = 0; step < summand__gemm_thesis_steps(&b.work.plan); step++)
            do_block(&b, summand__gemm_thesis_block(&b.work.plan, step));
        expect(&b);
    }
    summand__round(schedule);
    end(&b);
}

/* Puts are counted in the schedules; there is no formula. */
static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)algorithm;
    (void)call;
    (void)depth;
    return (struct summand__cost){.unknown = true};
}

static bool applicable(const struct summand__call *call)
{
    return call->gemm;
}

static struct summand__gemm_block by_diagonals(size_t step, size_t rows, size_t columns)
{
    return (struct summand__gemm_block){step % rows, (step % rows + step / rows) % columns};
}

const struct summand__algorithm summand__gemm_barriers = {
    .name = "gemm-barriers",
    .description = "blocks of C along diagonals; barriers of groups and two all-reduces a block",
    .source = "Schmidtobreick (2017)",
    .promises = SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__SEGMENT] = {1, SIZE_MAX, 255}},
    .applicable = applicable,
    .build = {[SUMMAND__COLL_GEMM] = build},
    .cost = cost,
    .order = by_diagonals,
};
