/* Panels: every rank that computes gets what it needs of A and of B, panel by panel of the inner
 * dimension, by puts into slots of its own, and adds the products up in order.
 *
 * How: a stage is a panel of a job: columns of the tile of some rank. Who holds a piece of it puts
 *   that as it lies where it is in one piece, else packed, into the next slot of the rank that
 *   computes; a counter of each pair says what has come, another one which slots are free again.
 *   Where pieces lie as the product needs them, it reads them there, run by run; own pieces where
 *   they are; else they are laid out as a panel before. So each chain goes along the inner
 *   dimension in its own order, whatever the grids. What helpers make of a tile they put to the
 * rank that holds it. There is no barrier, neither between stages nor between starts. When: always.
 * One panel where there is room for all; several between nodes, where they overlap. Cost: for n x n
 * matrices on grids of P x P each, 3 P - 1 n^2 elements put with helpers; 2 n^3 operations, in
 * equal parts. Restrictions: memory for `slots` panels. Source: van de Geijn, Watts (1997), SUMMA,
 * with C stationary; puts and rings of slots with credits after Schmidtobreick (2017). */
#include <stdlib.h>

#include "algorithm/gemm/build.h"
#include "algorithm/outer/build.h"

/* Runs of the inner dimension so short are laid out as a panel before. */
enum { SHORT_RUN = 64 };

/* A packed piece, which may be for several ranks. */
struct packed {
    struct summand__gemm_need need;
    size_t first;
};

struct panels {
    struct summand__gemm_build build;
    int own[SUMMAND__GEMM_SIDES]; /* the holder of A and of B that this rank is, or -1 */
    size_t lead;                  /* stages that pieces are put ahead */
    size_t *sent, *arrived;       /* stages so far, of each rank */
    struct packed *packed;        /* in this step */
    size_t n_packed, room;
    struct summand__gemm_segment *segment[SUMMAND__GEMM_SIDES]; /* of this stage */
    size_t segments[SUMMAND__GEMM_SIDES], capacity[SUMMAND__GEMM_SIDES];
};

/* Stage number `stage` of a rank: which panel of which of its jobs. */
struct stage {
    const struct summand__gemm_job *job;
    int64_t panel;
    bool last; /* of the job */
};

static const struct summand__gemm_shape *shape_of(const struct panels *p)
{
    return p->build.shape;
}

static struct stage stage_of(const struct summand__gemm_shape *shape, int rank, size_t number)
{
    size_t panels = (size_t)summand__gemm_panels(shape), job = number / panels;
    for (int j = 0;; j++)
        if (shape->job[j].rank == rank && !job--)
            return (struct stage){&shape->job[j], (int64_t)(number % panels),
                                  number % panels == panels - 1};
}

static size_t slots_of(const struct summand__gemm_shape *shape, size_t stages)
{
    return shape->slots < stages ? shape->slots : stages;
}

static void needs_of(const struct summand__gemm_shape *shape, const struct stage *stage,
                     struct summand__gemm_need needs[])
{
    for (int side = 0; side < SUMMAND__GEMM_SIDES; side++)
        needs[side] =
            summand__gemm_needs(shape, stage->job, stage->panel, (enum summand__gemm_side)side);
}

/* The element of the slots where a holder's piece lands: behind those of the holders before it. */
static size_t lands_at(const struct summand__gemm_shape *shape, size_t slots, size_t stage,
                       const struct summand__gemm_need needs[], int side, int holder)
{
    size_t first = stage % slots * shape->slot;
    if (side == SUMMAND__GEMM_B)
        first += (size_t)(needs[SUMMAND__GEMM_A].count * needs[SUMMAND__GEMM_A].inner);
    for (int h = 0; h < holder; h++)
        first += summand__gemm_common(shape, &needs[side], h);
    return first;
}

/* Whether a rank has a piece for a stage. */
static bool takes_part(const struct summand__gemm_shape *shape,
                       const struct summand__gemm_need needs[], int rank)
{
    for (int side = 0; side < SUMMAND__GEMM_SIDES; side++) {
        int h =
            summand__gemm_holder(summand__gemm_operand(shape, (enum summand__gemm_side)side), rank);
        if (h >= 0 && summand__gemm_common(shape, &needs[side], h))
            return true;
    }
    return false;
}

/* Counts of a stage's slot, of all starts, that its next use waits for: the stage before in this
 * slot must be over, in this start or in the one before. */
static int64_t credits_for(size_t slots, size_t stages, size_t stage)
{
    if (stage >= slots)
        return (int64_t)(stage - slots) + 1;
    size_t before = stage + (stages - 1 - stage) / slots * slots;
    return (int64_t)before + 1 - (int64_t)stages;
}

static bool packs_before(const struct panels *p, const struct summand__gemm_need *need,
                         size_t *first)
{
    for (size_t i = 0; i < p->n_packed; i++)
        if (summand__gemm_same_need(&p->packed[i].need, need)) {
            *first = p->packed[i].first;
            return true;
        }
    return false;
}

static bool remember(struct panels *p, const struct summand__gemm_need *need, size_t first)
{
    struct packed *more = realloc(p->packed, (p->n_packed + 1) * sizeof *more);
    if (!more) {
        p->build.schedule->failed = true;
        return false;
    }
    p->packed = more;
    p->packed[p->n_packed++] = (struct packed){*need, first};
    return true;
}

/* The piece in one piece: where it lies, or where it is packed. */
static struct summand__region gathered(struct panels *p, const struct summand__gemm_need *need,
                                       const struct summand__gemm_piece *piece)
{
    struct summand__columns own = summand__gemm_array(&p->build, need->side);
    struct summand__columns to = {SUMMAND__GEMM_PACKED, p->room, summand__gemm_packed_lead(piece)};
    size_t count = piece->outer * piece->inner, first;
    if (summand__tiles_contiguous(&piece->rows, &piece->columns, true, own.lead, &first))
        return summand__region((enum summand__place)own.place, first, count);
    if (packs_before(p, need, &first))
        return summand__region((enum summand__place)to.place, first, count);
    if (remember(p, need, p->room)) {
        summand__tiles_copy(p->build.schedule, &piece->rows, &piece->columns, own, to);
        p->room += count;
        summand__gemm_room(&p->build, SUMMAND__GEMM_PACKED, p->room);
    }
    return summand__region((enum summand__place)to.place, to.first, count);
}

/* `packs`: whatever does not lie in one piece is packed, and no more. */
static void put_piece(struct panels *p, int peer, const struct summand__gemm_need needs[], int side,
                      size_t number, bool packs)
{
    const struct summand__gemm_shape *shape = shape_of(p);
    struct summand__schedule *schedule = p->build.schedule;
    size_t slots = slots_of(shape, summand__gemm_stages(shape, peer));
    struct summand__gemm_piece piece;
    if (p->own[side] < 0 || !summand__gemm_piece(shape, &needs[side], p->own[side],
                                                 SUMMAND__VIEW_SENDER, &piece, &schedule->failed))
        return;
    struct summand__region from = gathered(p, &needs[side], &piece);
    size_t to = lands_at(shape, slots, number, needs, side, p->own[side]);
    if (!packs)
        summand__put(schedule, peer, from,
                     summand__region((enum summand__place)SUMMAND__GEMM_SLOTS, to, from.count));
    summand__gemm_piece_free(&piece);
}

/* What this rank has for a stage of another one. */
static void put_stage(struct panels *p, int peer, size_t number, bool packs)
{
    const struct summand__gemm_shape *shape = shape_of(p);
    struct summand__schedule *schedule = p->build.schedule;
    size_t stages = summand__gemm_stages(shape, peer), slots = slots_of(shape, stages);
    struct summand__gemm_need needs[SUMMAND__GEMM_SIDES];
    if (number >= stages || peer == p->build.rank)
        return;
    struct stage stage = stage_of(shape, peer, number);
    needs_of(shape, &stage, needs);
    if (!takes_part(shape, needs, p->build.rank))
        return;
    if (!packs)
        summand__wait_counter(schedule,
                              summand__gemm_counter(&p->build, SUMMAND__GEMM_CREDITS, peer),
                              credits_for(slots, stages, number));
    for (int side = 0; side < SUMMAND__GEMM_SIDES; side++)
        put_piece(p, peer, needs, side, number, packs);
    if (packs)
        return;
    summand__notify(schedule, peer,
                    summand__gemm_counter(&p->build, SUMMAND__GEMM_ARRIVED, p->build.rank));
    p->sent[peer]++;
}

/* A round in which pieces are packed, and one in which they are put. */
static void put_stages(struct panels *p, size_t number)
{
    int ranks = p->build.call->ranks;
    size_t before = p->n_packed;
    for (int packs = 1; packs >= 0; packs--) {
        for (int k = 1; k < ranks && !p->build.schedule->failed; k++)
            put_stage(p, (p->build.rank + k) % ranks, number, packs);
        if (packs && p->n_packed > before)
            summand__round(p->build.schedule);
    }
}

static void add_segment(struct panels *p, int side, int64_t k, int64_t count,
                        struct summand__columns array)
{
    if (p->segments[side] == p->capacity[side]) {
        size_t capacity = 2 * p->capacity[side] + 8;
        struct summand__gemm_segment *more = realloc(p->segment[side], capacity * sizeof *more);
        if (!more) {
            p->build.schedule->failed = true;
            return;
        }
        p->segment[side] = more;
        p->capacity[side] = capacity;
    }
    p->segment[side][p->segments[side]++] = (struct summand__gemm_segment){k, count, array};
}

/* The piece as it came, or in the caller's array, and its combs from there to the panel. */
struct source {
    struct summand__gemm_piece piece;
    struct summand__columns array;
};

static bool source_of(struct panels *p, const struct summand__gemm_need needs[], int side, int h,
                      size_t slots, size_t stage, struct source *source)
{
    const struct summand__gemm_shape *shape = shape_of(p);
    bool own = p->own[side] == h;
    if (!summand__gemm_piece(shape, &needs[side], h,
                             own ? SUMMAND__VIEW_LOCAL : SUMMAND__VIEW_RECEIVER, &source->piece,
                             &p->build.schedule->failed))
        return false;
    source->array = own ? summand__gemm_array(&p->build, needs[side].side)
                        : (struct summand__columns){SUMMAND__GEMM_SLOTS,
                                                    lands_at(shape, slots, stage, needs, side, h),
                                                    summand__gemm_packed_lead(&source->piece)};
    return true;
}

/* The inner runs of a piece that has all rows or columns of C in one run; false where it has not.
 */
static bool add_runs(struct panels *p, const struct summand__gemm_need *need,
                     const struct source *source)
{
    const struct summand__gemm_piece *piece = &source->piece;
    const struct summand__combs *outer = piece->inner_rows ? &piece->columns : &piece->rows;
    const struct summand__combs *inner = piece->inner_rows ? &piece->rows : &piece->columns;
    if ((int64_t)piece->outer != need->count || outer->runs != 1)
        return false;
    for (size_t i = 0; i < inner->length; i++)
        for (size_t tooth = 0; tooth < inner->comb[i].teeth; tooth++) {
            const struct summand__comb *comb = &inner->comb[i];
            struct summand__columns array = source->array;
            size_t k = comb->from + tooth * comb->from_step, at = outer->comb[0].from;
            array.first += piece->inner_rows ? k + at * array.lead : k * array.lead + at;
            add_segment(p, (int)need->side, need->k + (int64_t)(comb->to + tooth * comb->to_step),
                        (int64_t)comb->width, array);
        }
    return true;
}

static int by_index(const void *a, const void *b)
{
    const struct summand__gemm_segment *x = a, *y = b;
    return (x->k > y->k) - (x->k < y->k);
}

/* All pieces where they are; false where they must be laid out. */
static bool in_place(struct panels *p, const struct summand__gemm_need needs[], int side,
                     size_t slots, size_t stage)
{
    const struct summand__gemm_need *need = &needs[side];
    const struct summand__gemm_operand *operand = summand__gemm_operand(shape_of(p), need->side);
    bool good = true;
    p->segments[side] = 0;
    for (int h = 0; h < operand->count && good; h++) {
        struct source source;
        if (!source_of(p, needs, side, h, slots, stage, &source))
            continue;
        good = add_runs(p, need, &source);
        summand__gemm_piece_free(&source.piece);
    }
    if (p->build.schedule->failed || !good ||
        (p->segments[side] > 1 && need->inner / (int64_t)p->segments[side] < SHORT_RUN))
        return false;
    qsort(p->segment[side], p->segments[side], sizeof *p->segment[side], by_index);
    return true;
}

/* All pieces as one panel; `first`: where it lies in the place of panels. */
static void lay_out(struct panels *p, const struct summand__gemm_need needs[], int side,
                    size_t slots, size_t stage, size_t first)
{
    const struct summand__gemm_need *need = &needs[side];
    const struct summand__gemm_operand *operand = summand__gemm_operand(shape_of(p), need->side);
    struct summand__columns panel = {SUMMAND__GEMM_PANELS, first,
                                     summand__gemm_panel_lead(shape_of(p), need)};
    for (int h = 0; h < operand->count; h++) {
        struct source source;
        if (!source_of(p, needs, side, h, slots, stage, &source))
            continue;
        summand__tiles_copy(p->build.schedule, &source.piece.rows, &source.piece.columns,
                            source.array, panel);
        summand__gemm_piece_free(&source.piece);
    }
    p->segments[side] = 0;
    add_segment(p, side, need->k, need->inner, panel);
    summand__gemm_room(&p->build, SUMMAND__GEMM_PANELS,
                       first + (size_t)(need->count * need->inner));
}

static void await_pieces(struct panels *p, const struct summand__gemm_need needs[])
{
    for (int rank = 0; rank < p->build.call->ranks; rank++)
        if (rank != p->build.rank && takes_part(shape_of(p), needs, rank))
            summand__wait_counter(p->build.schedule,
                                  summand__gemm_counter(&p->build, SUMMAND__GEMM_ARRIVED, rank),
                                  (int64_t)++p->arrived[rank]);
}

/* Products of all runs that both sides have in one piece. `begins`: of the first one. */
static void multiply(struct panels *p, const struct summand__gemm_target *target, bool begins,
                     bool updates)
{
    const struct summand__gemm_segment *a = p->segment[SUMMAND__GEMM_A],
                                       *b = p->segment[SUMMAND__GEMM_B];
    size_t as = p->segments[SUMMAND__GEMM_A], bs = p->segments[SUMMAND__GEMM_B];
    for (size_t i = 0, j = 0; i < as && j < bs;) {
        int64_t a_end = a[i].k + a[i].count, b_end = b[j].k + b[j].count;
        int64_t k = a[i].k > b[j].k ? a[i].k : b[j].k, end = a_end < b_end ? a_end : b_end;
        summand__gemm_multiply(&p->build, &a[i], &b[j], k, end - k, target, begins, updates);
        begins = false;
        i += end == a_end;
        j += end == b_end;
    }
}

/* Where a job's chain is made, and whether the caller's C, and by one computation. */
static struct summand__gemm_target
target_of(const struct panels *p, const struct summand__gemm_job *job, bool single, bool *updates)
{
    const struct summand__gemm_shape *shape = shape_of(p);
    int64_t rows, columns;
    bool own = shape->c.holder[job->holder].rank == p->build.rank;
    summand__gemm_extent(&shape->c.holder[job->holder], &rows, &columns);
    *updates = own && single && summand__gemm_updates(shape);
    if (own && (*updates || !summand__gemm_updates(shape)))
        return summand__gemm_own(&p->build, rows, job->first, job->count);
    return (struct summand__gemm_target){{SUMMAND__GEMM_TILE, 0, (size_t)rows}, rows, job->count};
}

/* Where the results of a job for another rank lie there: in the order of columns. */
static size_t result_at(const struct summand__gemm_shape *shape,
                        const struct summand__gemm_job *job, int64_t rows)
{
    int64_t before = 0;
    for (int j = 0; j < shape->jobs; j++) {
        const struct summand__gemm_job *other = &shape->job[j];
        if (other->holder == job->holder && other->first < job->first &&
            other->rank != shape->c.holder[job->holder].rank)
            before += other->count;
    }
    return (size_t)(before * rows);
}

static void finish_job(struct panels *p, const struct summand__gemm_job *job,
                       const struct summand__gemm_target *target)
{
    const struct summand__gemm_shape *shape = shape_of(p);
    struct summand__schedule *schedule = p->build.schedule;
    int owner = shape->c.holder[job->holder].rank;
    size_t count = (size_t)(target->rows * target->columns);
    if (target->array.place != SUMMAND__GEMM_TILE)
        return;
    summand__gemm_room(&p->build, SUMMAND__GEMM_TILE, count);
    if (owner == p->build.rank) {
        struct summand__gemm_target result =
            summand__gemm_own(&p->build, target->rows, job->first, job->count);
        summand__gemm_apply(&p->build, target, &result);
        return;
    }
    summand__round(schedule);
    summand__wait_counter(schedule, summand__gemm_counter(&p->build, SUMMAND__GEMM_TAKEN, owner),
                          0);
    summand__gemm_expect(&p->build, SUMMAND__GEMM_TAKEN, owner, 1);
    summand__put(schedule, owner,
                 summand__region((enum summand__place)SUMMAND__GEMM_TILE, 0, count),
                 summand__region((enum summand__place)SUMMAND__GEMM_RESULTS,
                                 result_at(shape, job, target->rows), count));
    summand__notify(schedule, owner,
                    summand__gemm_counter(&p->build, SUMMAND__GEMM_MADE, p->build.rank));
    summand__round(schedule); /* the tile's place is for the next job */
}

static void give_credits(struct panels *p, const bool *sends)
{
    for (int rank = 0; rank < p->build.call->ranks; rank++)
        if (sends[rank])
            summand__notify(p->build.schedule, rank,
                            summand__gemm_counter(&p->build, SUMMAND__GEMM_CREDITS, p->build.rank));
}

/* One stage of this rank's. */
static void take_stage(struct panels *p, size_t number, const bool *sends)
{
    const struct summand__gemm_shape *shape = shape_of(p);
    size_t stages = summand__gemm_stages(shape, p->build.rank), slots = slots_of(shape, stages),
           first = 0;
    struct stage stage = stage_of(shape, p->build.rank, number);
    struct summand__gemm_need needs[SUMMAND__GEMM_SIDES];
    bool updates;
    needs_of(shape, &stage, needs);
    await_pieces(p, needs);
    for (int side = 0; side < SUMMAND__GEMM_SIDES; side++)
        if (!in_place(p, needs, side, slots, number)) {
            lay_out(p, needs, side, slots, number, first);
            first += (size_t)(needs[side].count * needs[side].inner);
        }
    bool single = summand__gemm_panels(shape) == 1 && p->segments[SUMMAND__GEMM_A] == 1 &&
                  p->segments[SUMMAND__GEMM_B] == 1;
    struct summand__gemm_target target = target_of(p, stage.job, single, &updates);
    multiply(p, &target, !stage.panel, updates);
    give_credits(p, sends);
    if (stage.last)
        finish_job(p, stage.job, &target);
}

/* What others have made of this rank's tile. */
static void take_results(struct panels *p)
{
    const struct summand__gemm_shape *shape = shape_of(p);
    for (int j = 0; j < shape->jobs; j++) {
        const struct summand__gemm_job *job = &shape->job[j];
        int64_t rows, columns;
        if (shape->c.holder[job->holder].rank != p->build.rank || job->rank == p->build.rank)
            continue;
        summand__gemm_extent(&shape->c.holder[job->holder], &rows, &columns);
        summand__wait_counter(p->build.schedule,
                              summand__gemm_counter(&p->build, SUMMAND__GEMM_MADE, job->rank), 1);
        summand__gemm_expect(&p->build, SUMMAND__GEMM_MADE, job->rank, 1);
        struct summand__gemm_target made = {
            {SUMMAND__GEMM_RESULTS, result_at(shape, job, rows), (size_t)rows}, rows, job->count};
        struct summand__gemm_target result =
            summand__gemm_own(&p->build, rows, job->first, job->count);
        summand__gemm_apply(&p->build, &made, &result);
        summand__notify(p->build.schedule, job->rank,
                        summand__gemm_counter(&p->build, SUMMAND__GEMM_TAKEN, p->build.rank));
    }
}

/* No inner elements: C = beta C, or zeros. */
static void only_update(struct panels *p)
{
    const struct summand__gemm_segment none = {.array = {SUMMAND__GEMM_PLACE_A, 0, 1}};
    int64_t rows, columns;
    int own = summand__gemm_holder(&shape_of(p)->c, p->build.rank);
    if (own < 0)
        return;
    summand__gemm_extent(&shape_of(p)->c.holder[own], &rows, &columns);
    struct summand__gemm_target target = summand__gemm_own(&p->build, rows, 0, columns);
    summand__gemm_multiply(&p->build, &none, &none, 0, 0, &target, true, true);
}

/* The ranks that put something for some stage of this rank's. */
static void find_senders(const struct panels *p, bool *sends)
{
    const struct summand__gemm_shape *shape = shape_of(p);
    size_t stages = summand__gemm_stages(shape, p->build.rank);
    for (size_t s = 0; s < stages; s++) {
        struct summand__gemm_need needs[SUMMAND__GEMM_SIDES];
        struct stage stage = stage_of(shape, p->build.rank, s);
        needs_of(shape, &stage, needs);
        for (int rank = 0; rank < p->build.call->ranks; rank++)
            sends[rank] = sends[rank] || (rank != p->build.rank && takes_part(shape, needs, rank));
    }
}

static void steps(struct panels *p, const bool *sends)
{
    const struct summand__gemm_shape *shape = shape_of(p);
    size_t own = summand__gemm_stages(shape, p->build.rank), most = 0;
    for (int rank = 0; rank < p->build.call->ranks; rank++) {
        size_t stages = summand__gemm_stages(shape, rank);
        most = stages > most ? stages : most;
    }
    bool all = shape->slots >= most;
    size_t lead = all ? most : shape->slots > 2 ? shape->slots - 2 : shape->slots - 1;
    for (size_t s = 0; s < lead; s++)
        put_stages(p, s);
    for (size_t s = 0; s < most; s++) {
        put_stages(p, s + lead);
        if (s < own)
            take_stage(p, s, sends);
        if (!all || s + 1 == most) {
            summand__round(p->build.schedule);
            p->n_packed = p->room = 0;
        }
    }
}

static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    (void)algorithm;
    struct panels p = {.build = summand__gemm_begin(call, schedule)};
    size_t ranks = (size_t)call->ranks;
    bool *sends = calloc(ranks, sizeof *sends);
    p.sent = calloc(ranks, sizeof *p.sent);
    p.arrived = calloc(ranks, sizeof *p.arrived);
    schedule->failed = schedule->failed || !sends || !p.sent || !p.arrived;
    for (int side = 0; side < SUMMAND__GEMM_SIDES; side++)
        p.own[side] = summand__gemm_holder(
            summand__gemm_operand(call->gemm, (enum summand__gemm_side)side), call->rank);
    if (!schedule->failed && !summand__gemm_panels(call->gemm))
        only_update(&p);
    if (!schedule->failed && summand__gemm_panels(call->gemm)) {
        find_senders(&p, sends);
        steps(&p, sends);
        take_results(&p);
        for (int rank = 0; rank < call->ranks; rank++) {
            summand__gemm_expect(&p.build, SUMMAND__GEMM_ARRIVED, rank, p.arrived[rank]);
            if (p.sent[rank])
                summand__gemm_expect(&p.build, SUMMAND__GEMM_CREDITS, rank,
                                     summand__gemm_stages(call->gemm, rank));
        }
    }
    summand__round(schedule);
    for (int side = 0; side < SUMMAND__GEMM_SIDES; side++)
        free(p.segment[side]);
    free(p.packed);
    free(p.arrived);
    free(p.sent);
    free(sends);
}

/* Puts are no messages. */
static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)algorithm;
    (void)call;
    (void)depth;
    return (struct summand__cost){.depth = 0};
}

static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    (void)algorithm;
    const struct summand__gemm_shape *shape = call->gemm;
    double most = 0, bytes = (double)shape->slot * (double)element;
    for (int j = 0; j < shape->jobs; j++) {
        double rows = (double)summand__share_extent(&shape->c.holder[shape->job[j].holder].rows);
        double operations =
            2 * rows * (double)shape->job[j].count * (double)summand__gemm_inner(shape);
        most = operations > most ? operations : most;
    }
    bool one_node = model->per_node >= call->ranks;
    const struct summand__level *level =
        &model->level[one_node ? SUMMAND__WITHIN_NODE : SUMMAND__REACHES - 1];
    return most * summand__outer_flop + bytes * (double)summand__gemm_panels(shape) * level->byte +
           level->latency;
}

static bool applicable(const struct summand__call *call)
{
    return call->gemm;
}

const struct summand__algorithm summand__gemm_whole_panels = {
    .name = "gemm-panels",
    .description = "panels of A and B put to who computes, in the order of the inner dimension",
    .source = "van de Geijn, Watts (1997); Schmidtobreick (2017)",
    .promises = SUMMAND__PAIR_ORDER | SUMMAND__SAME_BITS,
    .applicable = applicable,
    .build = {[SUMMAND__COLL_GEMM] = build},
    .cost = cost,
    .estimate = estimate,
};
