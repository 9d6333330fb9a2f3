/* SPDX-License-Identifier: BSD-3-Clause */
#include "matrix/gemm/panels.h"

#include <stdlib.h>

/* Runs of the inner dimension up to this length are first laid out as a panel. */
enum { SHORT_RUN = 64 };

static void add_segment(struct summand__gemm_panels *p, int side, int64_t k, int64_t count,
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

/* The piece as it arrived, or in its holder's array, and its combs from there to the panel. */
struct source {
    struct summand__gemm_piece piece;
    struct summand__columns array;
};

static bool source_of(struct summand__gemm_panels *p, const struct summand__gemm_need needs[],
                      int side, int h, size_t slots, size_t stage, struct source *source)
{
    const struct summand__gemm_shape *shape = summand__gemm_shape_of(p);
    bool lies = p->own[side] == h || summand__gemm_operand(shape, needs[side].side)->shared;
    if (!summand__gemm_piece(shape, &needs[side], h,
                             lies ? SUMMAND__VIEW_LOCAL : SUMMAND__VIEW_RECEIVER, &source->piece,
                             &p->build.schedule->failed))
        return false;
    source->array =
        lies
            ? summand__gemm_view(
                  &p->build,
                  side == SUMMAND__GEMM_A ? SUMMAND__GEMM_PLACE_A : SUMMAND__GEMM_PLACE_B, h)
            : (struct summand__columns){SUMMAND__GEMM_SLOTS,
                                        summand__gemm_lands_at(shape, slots, stage, needs, side, h),
                                        summand__gemm_packed_lead(&source->piece)};
    return true;
}

/* Adds the inner runs of a piece that has all rows or columns of C in one run; else returns false.
 */
static bool add_runs(struct summand__gemm_panels *p, const struct summand__gemm_need *need,
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

/* Uses all pieces in place; false if they must be laid out. */
static bool in_place(struct summand__gemm_panels *p, const struct summand__gemm_need needs[],
                     int side, size_t slots, size_t stage)
{
    const struct summand__gemm_need *need = &needs[side];
    const struct summand__gemm_operand *operand =
        summand__gemm_operand(summand__gemm_shape_of(p), need->side);
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

/* Lays out all pieces as one panel; `first`: its position in the place of panels. */
static void lay_out(struct summand__gemm_panels *p, const struct summand__gemm_need needs[],
                    int side, size_t slots, size_t stage, size_t first)
{
    const struct summand__gemm_need *need = &needs[side];
    const struct summand__gemm_operand *operand =
        summand__gemm_operand(summand__gemm_shape_of(p), need->side);
    struct summand__columns panel = {SUMMAND__GEMM_PANELS, first,
                                     summand__gemm_panel_lead(summand__gemm_shape_of(p), need)};
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

/* Takes what another rank has passed on of a holder's piece, and passes it on. */
static void pass_on(struct summand__gemm_panels *p, size_t number,
                    const struct summand__gemm_need needs[], int side, int h)
{
    const struct summand__gemm_shape *shape = summand__gemm_shape_of(p);
    struct summand__schedule *schedule = p->build.schedule;
    int holder = summand__gemm_operand(shape, (enum summand__gemm_side)side)->holder[h].rank;
    size_t count = summand__gemm_common(shape, &needs[side], h);
    if (!count || holder == p->build.rank)
        return;
    int source = summand__gemm_source(p, p->build.rank, number, side, holder);
    int next = summand__gemm_successor(p, number, side, holder);
    if (source != holder)
        summand__wait_counter(schedule,
                              summand__gemm_counter(&p->build, SUMMAND__GEMM_PASSED, source),
                              (int64_t)++p->passed[source]);
    if (next < 0)
        return;
    size_t stages = summand__gemm_stages(shape, next), slots = summand__gemm_slots(shape, stages);
    size_t own = summand__gemm_slots(shape, summand__gemm_stages(shape, p->build.rank));
    size_t from = summand__gemm_lands_at(shape, own, number, needs, side, h);
    size_t to = summand__gemm_lands_at(shape, slots, number, p->member[next].needs, side, h);
    summand__wait_counter(schedule, summand__gemm_counter(&p->build, SUMMAND__GEMM_CREDITS, next),
                          summand__gemm_credits_for(slots, stages, number));
    summand__put(schedule, next,
                 summand__region((enum summand__place)SUMMAND__GEMM_SLOTS, from, count),
                 summand__region((enum summand__place)SUMMAND__GEMM_SLOTS, to, count));
    summand__notify(schedule, next,
                    summand__gemm_counter(&p->build, SUMMAND__GEMM_PASSED, p->build.rank));
    p->sent[next]++;
    p->passes = true;
}

/* Waits for pieces. Holders' own pieces arrive independently of other ranks. Of the others, all
 * ranks take and pass on those of A before those of B, ordered by holder: so there is no
 * deadlock. */
static void await_pieces(struct summand__gemm_panels *p, const struct summand__gemm_stage *stage,
                         size_t number, const struct summand__gemm_need needs[])
{
    const struct summand__gemm_shape *shape = summand__gemm_shape_of(p);
    for (int rank = 0; rank < p->build.call->ranks; rank++)
        if (rank != p->build.rank && summand__gemm_takes_part(p, stage, number, needs, rank))
            summand__wait_counter(p->build.schedule,
                                  summand__gemm_counter(&p->build, SUMMAND__GEMM_ARRIVED, rank),
                                  (int64_t)++p->arrived[rank]);
    p->passes = false;
    for (int side = 0; side < SUMMAND__GEMM_SIDES && shape->chains; side++) {
        const struct summand__gemm_operand *operand =
            summand__gemm_operand(shape, (enum summand__gemm_side)side);
        for (int h = 0; h < operand->count && !operand->shared; h++)
            pass_on(p, number, needs, side, h);
    }
}

static bool is_own(const struct summand__gemm_panels *p, const struct summand__gemm_job *job)
{
    return job->holder >= 0 &&
           summand__gemm_shape_of(p)->c.holder[job->holder].rank == p->build.rank;
}

/* True if a job's result is computed in its final place. */
static bool is_near(const struct summand__gemm_panels *p, const struct summand__gemm_job *job)
{
    return summand__gemm_in_place(summand__gemm_shape_of(p), job) || is_own(p, job);
}

/* The position of a job's results at the rank that holds the tile: in the order of columns. */
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

/* Puts columns from `first` on that this rank has computed for another one. */
static void put_back(struct summand__gemm_panels *p, const struct summand__gemm_job *job,
                     const struct summand__gemm_target *made, int64_t first)
{
    const struct summand__gemm_shape *shape = summand__gemm_shape_of(p);
    struct summand__schedule *schedule = p->build.schedule;
    int owner = shape->c.holder[job->holder].rank;
    size_t count = (size_t)(made->rows * made->columns);
    size_t to = result_at(shape, job, made->rows) + (size_t)(first * made->rows);
    summand__put(schedule, owner,
                 summand__region((enum summand__place)SUMMAND__GEMM_TILE, made->array.first, count),
                 summand__region((enum summand__place)SUMMAND__GEMM_RESULTS, to, count));
    summand__notify(schedule, owner,
                    summand__gemm_counter(&p->build, SUMMAND__GEMM_MADE, p->build.rank));
}

/* The last product of a job for another rank: computed columns travel while others are computed. */
static void multiply_back(struct summand__gemm_panels *p, const struct summand__gemm_segment *a,
                          const struct summand__gemm_segment *b, int64_t k, int64_t count,
                          const struct summand__gemm_job *job,
                          const struct summand__gemm_target *target, bool begins)
{
    const struct summand__gemm_shape *shape = summand__gemm_shape_of(p);
    int owner = shape->c.holder[job->holder].rank;
    int64_t back = summand__gemm_back(shape, job);
    for (int64_t first = 0; first < job->count; first += back) {
        int64_t columns = job->count - first < back ? job->count - first : back;
        struct summand__gemm_target made = summand__gemm_columns(target, first, columns);
        struct summand__gemm_segment part = summand__gemm_behind(&p->build, b, first);
        summand__gemm_multiply(&p->build, a, &part, k, count, &made, begins, false);
        summand__round(p->build.schedule); /* computes the next columns beside the put of these */
        if (!first) {
            summand__wait_counter(p->build.schedule,
                                  summand__gemm_counter(&p->build, SUMMAND__GEMM_TAKEN, owner), 0);
            summand__gemm_expect(&p->build, SUMMAND__GEMM_TAKEN, owner, 1);
        }
        put_back(p, job, &made, first);
    }
}

/* The last product of columns that are computed in their final place, and the steps after it, some
 * columns at a time. */
static void multiply_last(struct summand__gemm_panels *p, const struct summand__gemm_segment *a,
                          const struct summand__gemm_segment *b, int64_t k, int64_t count,
                          const struct summand__gemm_job *job,
                          const struct summand__gemm_target *target, bool begins, bool updates)
{
    int64_t chunk = summand__gemm_chunk(&p->build, job->count);
    for (int64_t first = 0; first < job->count; first += chunk) {
        int64_t columns = job->count - first < chunk ? job->count - first : chunk;
        struct summand__gemm_target made = summand__gemm_columns(target, first, columns);
        struct summand__gemm_target result =
            summand__gemm_tile(&p->build, job->holder, job->first + first, columns);
        struct summand__gemm_segment part = summand__gemm_behind(&p->build, b, first);
        summand__gemm_multiply(&p->build, a, &part, k, count, &made, begins, updates);
        if (target->array.place == SUMMAND__GEMM_TILE)
            summand__gemm_apply(&p->build, &made, &result);
        if (is_own(p, job))
            summand__gemm_finish(&p->build, &result);
    }
}

/* True if a step follows the last product of a job on this rank. */
static bool is_followed(const struct summand__gemm_panels *p,
                        const struct summand__gemm_stage *stage,
                        const struct summand__gemm_target *target)
{
    bool finishes = summand__gemm_shape_of(p)->finishes && is_own(p, stage->job);
    return stage->last && is_near(p, stage->job) &&
           (target->array.place == SUMMAND__GEMM_TILE || finishes);
}

/* Multiplies all runs that are contiguous on both sides. */
static void multiply(struct summand__gemm_panels *p, const struct summand__gemm_stage *stage,
                     const struct summand__gemm_target *target, bool updates)
{
    bool begins = !stage->panel, followed = is_followed(p, stage, target);
    const struct summand__gemm_segment *a = p->segment[SUMMAND__GEMM_A],
                                       *b = p->segment[SUMMAND__GEMM_B];
    size_t as = p->segments[SUMMAND__GEMM_A], bs = p->segments[SUMMAND__GEMM_B];
    for (size_t i = 0, j = 0; i < as && j < bs;) {
        const struct summand__gemm_segment *of_a = &a[i], *of_b = &b[j];
        int64_t a_end = of_a->k + of_a->count, b_end = of_b->k + of_b->count;
        int64_t k = of_a->k > of_b->k ? of_a->k : of_b->k, end = a_end < b_end ? a_end : b_end;
        i += end == a_end;
        j += end == b_end;
        bool last = i == as || j == bs;
        if (last && stage->last && !is_near(p, stage->job) && stage->job->holder >= 0)
            multiply_back(p, of_a, of_b, k, end - k, stage->job, target, begins);
        else if (followed && last)
            multiply_last(p, of_a, of_b, k, end - k, stage->job, target, begins, updates);
        else
            summand__gemm_multiply(&p->build, of_a, of_b, k, end - k, target, begins, updates);
        begins = false;
    }
}

/* The array in which a job's chain is computed; whether it is the holder's C; and whether one
 * computation suffices. */
static struct summand__gemm_target target_of(const struct summand__gemm_panels *p,
                                             const struct summand__gemm_job *job, bool single,
                                             bool *updates)
{
    const struct summand__gemm_shape *shape = summand__gemm_shape_of(p);
    int64_t rows = job->rows, columns;
    bool near = is_near(p, job);
    if (job->holder >= 0)
        summand__gemm_extent(&shape->c.holder[job->holder], &rows, &columns);
    *updates = near && single && summand__gemm_updates(shape);
    if (near && (*updates || !summand__gemm_updates(shape)))
        return summand__gemm_tile(&p->build, job->holder, job->first, job->count);
    return (struct summand__gemm_target){{SUMMAND__GEMM_TILE, 0, (size_t)rows}, rows, job->count};
}

static void finish_job(struct summand__gemm_panels *p, const struct summand__gemm_job *job,
                       const struct summand__gemm_target *target)
{
    const struct summand__gemm_shape *shape = summand__gemm_shape_of(p);
    struct summand__schedule *schedule = p->build.schedule;
    size_t count = (size_t)(target->rows * target->columns);
    if (target->array.place == SUMMAND__GEMM_TILE)
        summand__gemm_room(&p->build, SUMMAND__GEMM_TILE, count);
    if (is_own(p, job) || job->holder < 0)
        return;
    int owner = shape->c.holder[job->holder].rank;
    if (shape->c.shared) {
        summand__notify(schedule, owner,
                        summand__gemm_counter(&p->build, SUMMAND__GEMM_MADE, p->build.rank));
        return;
    }
    summand__round(schedule); /* the next job needs the tile's place */
}

void summand__gemm_give_credits(struct summand__gemm_panels *p, const bool *sends)
{
    for (int rank = 0; rank < p->build.call->ranks; rank++)
        if (sends[rank])
            summand__notify(p->build.schedule, rank,
                            summand__gemm_counter(&p->build, SUMMAND__GEMM_CREDITS, p->build.rank));
}

void summand__gemm_take_stage(struct summand__gemm_panels *p, size_t number, const bool *sends)
{
    const struct summand__gemm_shape *shape = summand__gemm_shape_of(p);
    size_t stages = summand__gemm_stages(shape, p->build.rank),
           slots = summand__gemm_slots(shape, stages), first = 0;
    struct summand__gemm_stage stage = summand__gemm_stage(shape, p->build.rank, number);
    struct summand__gemm_need needs[SUMMAND__GEMM_SIDES];
    bool updates;
    summand__gemm_stage_needs(shape, &stage, needs);
    await_pieces(p, &stage, number, needs);
    for (int side = 0; side < SUMMAND__GEMM_SIDES; side++)
        if (!in_place(p, needs, side, slots, number)) {
            lay_out(p, needs, side, slots, number, first);
            first += (size_t)(needs[side].count * needs[side].inner);
        }
    bool single = summand__gemm_panels(shape) == 1 && p->segments[SUMMAND__GEMM_A] == 1 &&
                  p->segments[SUMMAND__GEMM_B] == 1;
    struct summand__gemm_target target = target_of(p, stage.job, single, &updates);
    multiply(p, &stage, &target, updates);
    if (!p->passes)
        summand__gemm_give_credits(p, sends);
    if (stage.last)
        finish_job(p, stage.job, &target);
}

/* Takes columns of this rank's tile that another rank has computed in place. */
static void take_in_place(struct summand__gemm_panels *p, const struct summand__gemm_job *job)
{
    int64_t chunk = summand__gemm_chunk(&p->build, job->count);
    for (int64_t first = 0; first < job->count; first += chunk) {
        int64_t count = job->count - first < chunk ? job->count - first : chunk;
        struct summand__gemm_target result =
            summand__gemm_tile(&p->build, job->holder, job->first + first, count);
        summand__gemm_finish(&p->build, &result);
    }
}

/* Takes columns that another rank has put. */
static void take_back(struct summand__gemm_panels *p, const struct summand__gemm_job *job,
                      int64_t rows, int64_t from, int64_t columns)
{
    const struct summand__gemm_shape *shape = summand__gemm_shape_of(p);
    const struct summand__gemm_target made = {
        {SUMMAND__GEMM_RESULTS, result_at(shape, job, rows), (size_t)rows}, rows, job->count};
    int64_t chunk = summand__gemm_chunk(&p->build, columns);
    for (int64_t first = from; first < from + columns; first += chunk) {
        int64_t left = from + columns - first, count = left < chunk ? left : chunk;
        struct summand__gemm_target part = summand__gemm_columns(&made, first, count);
        struct summand__gemm_target result =
            summand__gemm_tile(&p->build, job->holder, job->first + first, count);
        summand__gemm_apply(&p->build, &part, &result);
        summand__gemm_finish(&p->build, &result);
    }
}

void summand__gemm_take_results(struct summand__gemm_panels *p)
{
    const struct summand__gemm_shape *shape = summand__gemm_shape_of(p);
    for (int j = 0; j < shape->jobs; j++) {
        const struct summand__gemm_job *job = &shape->job[j];
        const struct summand__holder *owner = &shape->c.holder[job->holder];
        uint32_t counter = summand__gemm_counter(&p->build, SUMMAND__GEMM_MADE, job->rank);
        int64_t back = shape->c.shared ? job->count : summand__gemm_back(shape, job);
        size_t number = 0;
        if (owner->rank != p->build.rank || job->rank == p->build.rank)
            continue;
        for (int64_t first = 0; first < job->count; first += back) {
            int64_t columns = job->count - first < back ? job->count - first : back;
            summand__wait_counter(p->build.schedule, counter, (int64_t)++number);
            if (shape->c.shared)
                take_in_place(p, job);
            else
                take_back(p, job, summand__share_extent(&owner->rows), first, columns);
        }
        summand__gemm_expect(&p->build, SUMMAND__GEMM_MADE, job->rank, number);
        if (!shape->c.shared)
            summand__notify(p->build.schedule, job->rank,
                            summand__gemm_counter(&p->build, SUMMAND__GEMM_TAKEN, p->build.rank));
    }
}
