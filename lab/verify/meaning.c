/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/verify/meaning.h"

#include <stdlib.h>

#include "base/hash.h"
#include "lab/verify/cells.h"
#include "lab/verify/clocks.h"
#include "lab/verify/play.h"
#include "lab/verify/shapes.h"

enum { ZERO = 0x7a65726f, UPDATE = 0x75706474, NOT_READ = 0x6e6f6e65 };

uint32_t summand__operand_expression(struct summand__expressions *pool, struct summand__cell cell)
{
    return summand__held(pool, cell.expression, cell.element & ~SUMMAND__NOT_AGAIN);
}

uint32_t summand__held(struct summand__expressions *pool, uint32_t expression, uint32_t element)
{
    return summand__pair_up(pool, expression, summand__symbol(element));
}

uint32_t summand__updated(struct summand__expressions *pool, uint32_t before, uint32_t chain)
{
    if (!before)
        before = summand__symbol(NOT_READ);
    return summand__pair_up(pool, summand__pair_up(pool, summand__symbol(UPDATE), before), chain);
}

/* Kernels of tests are in no table: their name identifies them. */
static uint32_t number_of(const struct summand__kernel *kernel)
{
    return (uint32_t)summand__hash_text(kernel->name) >> 1;
}

/* A term without its second operand: summand__pair_up of the two is the term. */
static uint32_t half_term(struct summand__expressions *pool, const struct summand__kernel *kernel,
                          uint32_t from)
{
    return summand__pair_up(pool, summand__symbol(number_of(kernel)), from);
}

uint32_t summand__term(struct summand__expressions *pool, const struct summand__kernel *kernel,
                       uint32_t from, uint32_t with)
{
    return summand__pair_up(pool, half_term(pool, kernel, from), with);
}

uint32_t summand__chain_zero(void)
{
    return summand__symbol(ZERO);
}

uint32_t summand__link(struct summand__expressions *pool, uint32_t chain, uint32_t term)
{
    return summand__pair_up(pool, chain, term);
}

static const struct summand__computation *computation_of(const struct summand__schedule *schedule,
                                                         size_t step)
{
    return &schedule->tables->computations[schedule->steps[step].what];
}

/* True if the step is an existing computation. */
static bool is_computation(const struct summand__schedule *schedule, size_t step)
{
    return schedule->steps[step].action == SUMMAND__COMPUTE && schedule->tables &&
           schedule->steps[step].what < schedule->tables->n_computations;
}

struct summand__tile summand__step_tile(const struct summand__schedule *schedule, size_t step,
                                        int which)
{
    const struct summand__computation *computation = computation_of(schedule, step);
    const struct summand__rectangle *shapes[] = {&computation->from, &computation->with,
                                                 &computation->to};
    const struct summand__step *s = &schedule->steps[step];
    const struct summand__region *regions[] = {&s->from, &s->with, &s->to};
    return (struct summand__tile){regions[which]->place, regions[which]->first, *shapes[which]};
}

struct summand__region summand__tile_row(const struct summand__tile *tile, size_t row)
{
    return summand__region((enum summand__place)tile->place, tile->first + row * tile->shape.pitch,
                           tile->shape.count);
}

size_t summand__most_rows(const struct summand__play *play, size_t cells)
{
    size_t most = 0;
    for (int r = 0; r < play->ranks; r++) {
        const struct summand__schedule *schedule = &play->schedules[r];
        size_t rows = 0;
        for (size_t i = 0; schedule->tables && i < schedule->length; i++)
            for (int which = 0; which < 3 && is_computation(schedule, i); which++) {
                struct summand__rectangle shape = summand__step_tile(schedule, i, which).shape;
                rows += shape.rows <= cells ? shape.rows : 0;
            }
        most = rows > most ? rows : most;
    }
    return most;
}

static bool tiles_overlap(const struct summand__tile *a, const struct summand__tile *b)
{
    bool any = a->place == b->place && a->shape.count && b->shape.count;
    for (size_t i = 0; any && i < a->shape.rows; i++)
        for (size_t j = 0; j < b->shape.rows; j++)
            if (summand__regions_overlap(summand__tile_row(a, i), summand__tile_row(b, j)))
                return true;
    return false;
}

static const struct summand__place_info *info_of(const struct summand__schedule *schedule,
                                                 unsigned place)
{
    return place >= (unsigned)SUMMAND__PLACES &&
                   place < (unsigned)SUMMAND__PLACES + schedule->places
               ? &schedule->info[place - SUMMAND__PLACES]
               : NULL;
}

static const char *put_wrong(const struct summand__play *play, int rank,
                             const struct summand__step *step)
{
    const struct summand__place_info *from = info_of(&play->schedules[rank], step->from.place);
    const struct summand__place_info *to = info_of(&play->schedules[step->peer], step->to.place);
    if (!from || !to || to->kind != SUMMAND__WINDOW)
        return "puts to what is no window";
    if (from->unit != to->unit || step->from.count != step->to.count)
        return "puts elements of other sizes or counts";
    return summand__holds(&play->memories[rank], step->from, false) &&
                   summand__holds(&play->memories[step->peer], step->to, true)
               ? NULL
               : "puts from or to outside of a place";
}

static const char *notify_wrong(const struct summand__play *play, int rank,
                                const struct summand__step *step)
{
    const struct summand__tables *tables = play->schedules[step->peer].tables;
    if (!tables || step->what >= tables->n_counters)
        return "notifies a counter that is not there";
    return tables->counters[step->what].producer == rank ? NULL
                                                         : "notifies a counter of another producer";
}

static const char *compute_wrong(const struct summand__play *play, int rank, size_t i)
{
    const struct summand__schedule *schedule = &play->schedules[rank];
    const struct summand__step *step = &schedule->steps[i];
    if (!is_computation(schedule, i))
        return "is a computation that is not there";
    const struct summand__computation *computation = computation_of(schedule, i);
    struct summand__region regions[] = {step->from, step->with, step->to};
    size_t unit = computation->kernel->unit;
    struct summand__tile to = summand__step_tile(schedule, i, 2);
    if (!summand__computation_fits(computation, step))
        return "computes with shapes that do not fit";
    for (int which = 0; which < 3; which++) {
        const struct summand__place_info *info = info_of(schedule, regions[which].place);
        struct summand__tile tile = summand__step_tile(schedule, i, which);
        if (!regions[which].count)
            continue;
        if (!info || !summand__holds(&play->memories[rank], regions[which], which == 2))
            return "computes outside of a place, or into one that is only read";
        if (which == 2 && computation->kernel->result)
            unit = computation->kernel->result;
        if (unit && info->unit != unit)
            return "computes with elements of another size";
        unit = info->unit;
        if (which < 2 && tiles_overlap(&tile, &to))
            return "computes into its own operands";
    }
    return NULL;
}

const char *summand__meaning_wrong(const struct summand__play *play, int rank, size_t i)
{
    const struct summand__schedule *schedule = &play->schedules[rank];
    const struct summand__step *step = &schedule->steps[i];
    bool remote = step->action == SUMMAND__PUT || step->action == SUMMAND__NOTIFY;
    if (!play->clocks)
        return "is none of a collective's";
    if (remote && (step->peer < 0 || step->peer >= play->ranks || step->peer == rank))
        return "has a peer that is none";
    switch (step->action) {
    case SUMMAND__PUT:
        return put_wrong(play, rank, step);
    case SUMMAND__NOTIFY:
        return notify_wrong(play, rank, step);
    case SUMMAND__WAIT_COUNTER:
        return schedule->tables && step->what < schedule->tables->n_counters
                   ? NULL
                   : "waits for a counter that is not there";
    default:
        return compute_wrong(play, rank, i);
    }
}

const char *summand__windows_wrong(const struct summand__play *play)
{
    const struct summand__schedule *first = &play->schedules[0];
    for (int r = 1; r < play->ranks; r++)
        for (unsigned place = SUMMAND__PLACES; place < SUMMAND__MOST_PLACES; place++) {
            const struct summand__place_info *a = info_of(first, place);
            const struct summand__place_info *b = info_of(&play->schedules[r], place);
            bool window_a = a && a->kind == SUMMAND__WINDOW;
            bool window_b = b && b->kind == SUMMAND__WINDOW;
            if (window_a != window_b || (window_a && (a->unit != b->unit || a->count != b->count)))
                return "windows are not alike on all ranks";
        }
    return NULL;
}

static bool races(struct summand__play *play, int rank, size_t step, const char *what, int owner,
                  unsigned place, size_t element)
{
    if (element == SIZE_MAX)
        return true;
    return summand__play_fault(play,
                               "start %llu, rank %d, step %zu: %s element %zu of rank %d's %s, and "
                               "does not know that an earlier access is over",
                               (unsigned long long)play->clocks->start, rank, step, what, element,
                               owner, summand__place_name((enum summand__place)place));
}

static bool may_read(struct summand__play *play, int rank, struct summand__region region,
                     size_t step, size_t end)
{
    return races(play, rank, step, "reads", rank, region.place,
                 summand__clocks_read(play->clocks, rank, region, step, end));
}

static struct summand__cell *cell_of(struct summand__play *play, int rank,
                                     const struct summand__tile *tile, size_t element)
{
    return &play->memories[rank].place[tile->place].cells[tile->first + element];
}

/* The expression of an operand at one link; 0 for no operand, and after a fault. */
static uint32_t operand(struct summand__play *play, int rank, const struct summand__tile *tile,
                        size_t element)
{
    const struct summand__cell *cell = cell_of(play, rank, tile, element);
    if (cell->expression == SUMMAND__UNDEFINED || cell->element & SUMMAND__NOT_AGAIN) {
        summand__play_fault(play, "rank %d computes with %s %s", rank,
                            summand__place_name((enum summand__place)tile->place),
                            cell->expression ? "that it said it would not read"
                                             : "before it is written");
        return SUMMAND__UNDEFINED;
    }
    return summand__operand_expression(play->pool, *cell);
}

/* The state of a played computation. An operand's element goes into many elements of the result, so
 * its expression is cached. */
struct computing {
    struct summand__play *play;
    int rank;
    size_t step;
    const struct summand__computation *computation;
    struct summand__tile tile[3];
    uint32_t *half, *with; /* by element of tiles 0 and 1; 0: not yet known */
};

static bool open_computing(struct computing *c)
{
    for (int which = 0; which < 3; which++)
        c->tile[which] = summand__step_tile(&c->play->schedules[c->rank], c->step, which);
    const struct summand__step *s = &c->play->schedules[c->rank].steps[c->step];
    c->half = calloc(s->from.count + s->with.count + 1, sizeof *c->half);
    c->with = c->half ? c->half + s->from.count : NULL;
    return c->half || summand__play_fault(c->play, "out of memory");
}

/* A term's half with its first operand, and its second operand. 0 after a fault. */
static uint32_t half_of(struct computing *c, size_t i, size_t j, size_t k)
{
    const struct summand__kernel *kernel = c->computation->kernel;
    if (kernel->from == SUMMAND__NOTHING)
        return half_term(c->play->pool, kernel, summand__symbol(0));
    size_t element = summand__part_element(kernel->from, &c->tile[0].shape, i, j, k);
    if (!c->half[element]) {
        uint32_t from = operand(c->play, c->rank, &c->tile[0], element);
        c->half[element] = from ? half_term(c->play->pool, kernel, from) : 0;
    }
    return c->half[element];
}

static uint32_t with_of(struct computing *c, size_t i, size_t j, size_t k)
{
    const struct summand__kernel *kernel = c->computation->kernel;
    if (kernel->with == SUMMAND__NOTHING)
        return summand__symbol(0);
    size_t element = summand__part_element(kernel->with, &c->tile[1].shape, i, j, k);
    if (!c->with[element])
        c->with[element] = operand(c->play, c->rank, &c->tile[1], element);
    return c->with[element];
}

static bool compute_element(struct computing *c, size_t i, size_t j)
{
    struct summand__play *play = c->play;
    struct summand__cell *to = cell_of(play, c->rank, &c->tile[2], i * c->tile[2].shape.pitch + j);
    enum summand__meaning meaning = c->computation->kernel->meaning;
    bool update = meaning == SUMMAND__UPDATE, reads = !c->computation->begins;
    bool chain = update || meaning == SUMMAND__CHAIN;
    uint32_t before = reads && update ? summand__operand_expression(play->pool, *to) : 0;
    uint32_t made = reads && !update ? to->expression : summand__chain_zero();
    if (chain && reads && (!to->expression || to->element & SUMMAND__NOT_AGAIN))
        return summand__play_fault(play, "rank %d: step %zu adds to what was never written",
                                   c->rank, c->step);
    size_t links = summand__chain_length(c->computation);
    for (size_t k = 0; k < links; k++) {
        uint32_t half = half_of(c, i, j, k), with = with_of(c, i, j, k);
        if (!half || !with)
            return false;
        uint32_t term = summand__pair_up(play->pool, half, with);
        made = chain ? summand__link(play->pool, made, term) : term;
    }
    if (update)
        made = summand__updated(play->pool, before, made);
    *to = (struct summand__cell){made, 0};
    return made || summand__play_fault(play, "out of memory");
}

/* Maps element `i` of the result to an element of the operand. */
static size_t moved(const struct summand__tile *from, const struct summand__tile *to, bool turned,
                    size_t i)
{
    size_t a = from->shape.count, b = to->shape.count;
    return turned ? i % b * from->shape.pitch + i / b : i / a * from->shape.pitch + i % a;
}

static bool move(struct summand__play *play, int rank, size_t step, bool turned)
{
    struct summand__tile from = summand__step_tile(&play->schedules[rank], step, 0);
    struct summand__tile to = summand__step_tile(&play->schedules[rank], step, 2);
    size_t b = to.shape.count;
    for (size_t i = 0; i < to.shape.rows * b; i++) {
        struct summand__cell *source = cell_of(play, rank, &from, moved(&from, &to, turned, i));
        if (source->expression == SUMMAND__UNDEFINED || source->element & SUMMAND__NOT_AGAIN)
            return summand__play_fault(play, "rank %d packs what was never written", rank);
        *cell_of(play, rank, &to, i / b * to.shape.pitch + i % b) = *source;
    }
    return true;
}

static bool compute(struct summand__play *play, int rank, size_t step)
{
    const struct summand__schedule *schedule = &play->schedules[rank];
    struct summand__tile to = summand__step_tile(schedule, step, 2);
    for (int which = 0; which < 3; which++) {
        struct summand__tile tile = summand__step_tile(schedule, step, which);
        for (size_t i = 0; tile.shape.count && i < tile.shape.rows; i++) {
            struct summand__region row = summand__tile_row(&tile, i);
            size_t element = which < 2 ? summand__clocks_read(play->clocks, rank, row, step, step)
                                       : summand__clocks_write(play->clocks, rank, row, step, step);
            if (!races(play, rank, step, which < 2 ? "reads" : "writes", rank, tile.place, element))
                return false;
        }
    }
    enum summand__meaning meaning = computation_of(schedule, step)->kernel->meaning;
    if (meaning == SUMMAND__PACK || meaning == SUMMAND__TURN)
        return move(play, rank, step, meaning == SUMMAND__TURN);
    struct computing computing = {play, rank, step, computation_of(schedule, step), {{0}}, 0, 0};
    bool good = open_computing(&computing);
    for (size_t i = 0; good && i < to.shape.rows; i++)
        for (size_t j = 0; good && j < to.shape.count; j++)
            good = compute_element(&computing, i, j);
    free(computing.half);
    return good;
}

/* Sources of puts must not change until the end of the round. */
static bool put(struct summand__play *play, int rank, size_t step, size_t end)
{
    const struct summand__step *s = &play->schedules[rank].steps[step];
    play->puts++;
    return may_read(play, rank, s->from, step, end) &&
           races(play, rank, step, "puts to", s->peer, s->to.place,
                 summand__clocks_put(play->clocks, rank, s->peer, s->to)) &&
           summand__cells_message(play, rank, s, s->peer, s);
}

bool summand__play_meaning(struct summand__play *play, int rank, size_t step, size_t end)
{
    const struct summand__step *s = &play->schedules[rank].steps[step];
    if (s->action == SUMMAND__WAIT_COUNTER)
        return true;
    summand__clocks_step(play->clocks, rank, step);
    if (s->action == SUMMAND__NOTIFY)
        return summand__clocks_notify(play->clocks, rank, s->peer, s->what) ||
               summand__play_fault(play, "out of memory");
    return s->action == SUMMAND__PUT ? put(play, rank, step, end) : compute(play, rank, step);
}

/* The step that ends the round which waits for a message. */
static size_t last_of(const struct summand__schedule *schedule, size_t end, unsigned lag)
{
    for (; lag && end < schedule->length; lag--)
        for (end++; end < schedule->length && schedule->steps[end].action != SUMMAND__ROUND;)
            end++;
    return end;
}

static bool local_window(struct summand__play *play, int rank, size_t i, size_t begin, size_t end)
{
    const struct summand__step *step = &play->schedules[rank].steps[i];
    bool two = step->action == SUMMAND__RECV_REDUCE || step->action == SUMMAND__REDUCE;
    struct summand__region none = {0};
    struct summand__region reads[] = {step->action == SUMMAND__RECV ? none : step->from,
                                      step->action == SUMMAND__REDUCE ? step->to
                                      : two                           ? step->with
                                                                      : none};
    bool lands = step->action == SUMMAND__RECV_REDUCE;
    struct summand__region writes[] = {step->action == SUMMAND__SEND ? none : step->to,
                                       lands ? step->from : none};
    for (int k = 0; k < 2; k++) {
        size_t element = summand__clocks_read(play->clocks, rank, reads[k], begin, end);
        if (!races(play, rank, i, "reads", rank, reads[k].place, element))
            return false;
        element = summand__clocks_write(play->clocks, rank, writes[k], begin, end);
        if (!races(play, rank, i, "writes", rank, writes[k].place, element))
            return false;
    }
    return true;
}

bool summand__play_windows(struct summand__play *play, int rank, size_t begin, size_t end)
{
    const struct summand__schedule *schedule = &play->schedules[rank];
    for (size_t i = begin; i < end; i++) {
        const struct summand__step *step = &schedule->steps[i];
        if (summand__is_message(step) &&
            !local_window(play, rank, i, begin, last_of(schedule, end, step->lag)))
            return false;
    }
    return true;
}

bool summand__play_local(struct summand__play *play, int rank, size_t step)
{
    summand__clocks_step(play->clocks, rank, step);
    return local_window(play, rank, step, step, step) &&
           summand__cells_step(play, rank, &play->schedules[rank].steps[step]);
}

bool summand__play_counters(struct summand__play *play)
{
    for (int r = 0; r < play->ranks; r++) {
        const struct summand__tables *tables = play->schedules[r].tables;
        for (uint32_t c = 0; tables && c < tables->n_counters; c++) {
            uint64_t due = (play->clocks->start + 1) * tables->counters[c].per_start;
            uint64_t come = summand__clocks_notified(play->clocks, r, c);
            if (come != due)
                return summand__play_fault(play,
                                           "rank %d's counter %u comes to %llu, and declares %llu",
                                           r, c, (unsigned long long)come, (unsigned long long)due);
        }
    }
    return true;
}
