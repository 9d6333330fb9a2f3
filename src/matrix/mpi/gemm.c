/* SPDX-License-Identifier: BSD-3-Clause */
#include "matrix/mpi/gemm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compute/mpi/onesided.h"
#include "compute/mpi/places.h"
#include "compute/mpi/window.h"
#include "matrix/activation.h"
#include "matrix/gemm/build.h"
#include "matrix/mpi/copy.h"
#include "plan/agree.h"
#include "plan/options.h"
#include "plan/tuned.h"
#include "process/error.h"
#include "select/select.h"

enum { MATRICES = 3 };

struct work {
    struct summand__onesided onesided;
    struct summand__gemm_shape shape;
    struct summand__gemm_finish finish;
    struct summand__gemm_arguments made_with; /* the algorithm's name as the table has it */
    uint64_t number;                          /* of the call that made it; the same on all ranks */
    size_t bytes;                             /* approximate bytes on this rank */
    struct summand__holder *holders;          /* of all three matrices */
    struct summand_matrix *held[MATRICES];
    void *memory;                  /* of temporary places */
    struct summand__counter *owed; /* this rank's counters, for the end */
    uint32_t counters;
};

static void before(void *work)
{
    (void)work;
}

static int after(void *work)
{
    (void)work;
    return MPI_SUCCESS;
}

static bool all_have_come(void *context, int *code)
{
    const struct work *work = context;
    struct summand__window *window = work->onesided.window;
    bool done = true;
    (void)code;
    for (uint32_t c = 0; c < work->counters && done; c++)
        if (work->owed[c].per_start)
            done = window->transport->test(window, (int)c,
                                           work->onesided.starts * work->owed[c].per_start,
                                           &done) == MPI_SUCCESS &&
                   done;
    return done;
}

/* Other ranks may still increment their counts of this rank's data: waits up to a second for
 * them. */
static void settle(struct work *work)
{
    struct summand__watch watch = {.timeout = 1};
    struct summand__wait wait = {.backoff = {.oversubscribed = true, .awake = true},
                                 .watch = &watch};
    if (work->onesided.window && work->owed)
        summand__wait_until(&wait, all_have_come, work);
}

static void drop(void *context)
{
    struct work *work = context;
    if (!work)
        return;
    settle(work);
    summand__plan_window_close(&work->onesided);
    for (int m = 0; m < MATRICES; m++)
        summand__matrix_release(work->held[m]);
    summand__gemm_release(&work->shape);
    free(work->holders);
    free(work->memory);
    free(work->owed);
    free(work);
}

static void describe(const void *context, char *text, size_t room)
{
    const struct summand__gemm_shape *shape = &((const struct work *)context)->shape;
    snprintf(text, room, "%lld x %lld by %lld x %lld", (long long)shape->rows,
             (long long)shape->inner, (long long)shape->inner, (long long)shape->columns);
}

static const struct summand__plan_hooks hooks = {
    .before = before, .after = after, .drop = drop, .describe = describe};

/* Calls the caller's function for a part of this rank's array. */
static void finish(void *context, void *elements, size_t row, size_t column,
                   const struct summand__rectangle *shape)
{
    const struct work *work = context;
    const summand_gemm_tile tile = {.elements = elements,
                                    .lead = (MPI_Count)shape->pitch,
                                    .row = (MPI_Count)row,
                                    .column = (MPI_Count)column,
                                    .rows = (MPI_Count)shape->count,
                                    .columns = (MPI_Count)shape->rows};
    work->made_with.options.finish(&tile, work->made_with.options.context);
}

/* Most holders of a shared matrix; each has a place in the schedule. */
enum { MOST_SHARED = 64 };

/* True if all ranks access all of the matrix in their own memory: it is exposed, within a node. */
static bool is_shared(const struct summand_matrix *matrix)
{
    const struct summand__window *window = matrix->window;
    return window && window->transport->address &&
           summand__grid_processes(&matrix->grid) <= MOST_SHARED;
}

static struct summand__gemm_operand operand_of(const struct summand_matrix *matrix,
                                               enum summand_transpose trans,
                                               struct summand__holder *holders)
{
    summand__grid_holders(&matrix->grid, holders);
    return (struct summand__gemm_operand){.holder = holders,
                                          .count = summand__grid_processes(&matrix->grid),
                                          .lead = (size_t)matrix->lead,
                                          .turned = trans == SUMMAND_TRANSPOSE_YES,
                                          .shared = is_shared(matrix)};
}

/* Sets the addresses of views in this rank's memory. */
static void place_views(struct work *work, const struct summand__schedule *schedule)
{
    for (unsigned p = 0; p < schedule->places; p++) {
        const struct summand__place_info *info = &schedule->info[p];
        if (info->kind != SUMMAND__VIEW)
            continue;
        const struct summand__window *window = work->held[info->of - SUMMAND__GEMM_PLACE_A]->window;
        work->onesided.place[p] = window->transport->address(window, info->peer, 0);
    }
}

static struct summand__query query_of(const struct summand__state *state,
                                      const struct summand__gemm_shape *shape)
{
    const size_t unit = summand__product_size(shape->type);
    struct summand__query query = summand__query_on(state, NULL);
    query.collective = SUMMAND__COLL_GEMM;
    query.bytes = query.element = unit;
    query.gemm = shape;
    return query;
}

/* The model of the tuning file, else the learned one, else the usual cluster. Unless a file says
 * otherwise, the network serves all puts in flight by turns. */
static struct summand__model model_of(const struct summand__tuning *tuning,
                                      struct summand__query query)
{
    if (tuning->has_model)
        query.model = &tuning->model;
    struct summand__model model = summand__query_model(&query);
    if (!tuning->has_model)
        model.fair_card = 1;
    return model;
}

/* The matrices' block length in the inner dimension. */
static size_t block_of(const struct summand__gemm_arguments *g)
{
    int64_t a = g->trans_a ? g->a->grid.rows.block : g->a->grid.columns.block;
    int64_t b = g->trans_b ? g->b->grid.columns.block : g->b->grid.rows.block;
    return (size_t)(g->options.panel ? g->options.panel : a < b ? a : b);
}

static bool finishes(const summand_gemm_options *o)
{
    return o->row_bias || o->column_bias || o->activation || o->finish;
}

/* Columns that are finished together must still be in a cache; but each product of some columns
 * packs A anew.
 */
static void set_finish(struct work *work, const struct summand__gemm_arguments *g)
{
    enum { CACHED = 1 << 18, LEAST = 192 };
    const summand_gemm_options *o = &g->options;
    size_t column = (size_t)g->c->rows * g->c->unit;
    size_t columns = column ? CACHED / column : 0;
    work->finish = (struct summand__gemm_finish){.row_bias = o->row_bias,
                                                 .column_bias = o->column_bias,
                                                 .activation = (int)o->activation,
                                                 .call = o->finish ? finish : NULL,
                                                 .context = work,
                                                 .array = g->c->data,
                                                 .lead = (size_t)g->c->lead};
    work->shape.finishes = finishes(o);
    work->shape.finish = columns > LEAST ? columns : LEAST;
}

/* Copies names, because they are the caller's memory. */
static void note_arguments(struct work *work, const struct summand__gemm_arguments *g)
{
    const char **name = &work->made_with.options.algorithm;
    work->made_with = *g;
    if (*name)
        *name = summand__algorithm_named(*name)->name;
    set_finish(work, g);
}

/* Helpers pay if their share is more than a few columns. */
static bool helpers_pay(const struct summand__gemm_arguments *g)
{
    enum { LEAST = 64 };
    int64_t rows = g->c->grid.rows.extent / g->c->grid.rows.parts;
    int64_t columns = g->c->grid.columns.extent / g->c->grid.columns.parts;
    return !g->options.no_help && rows >= LEAST && columns >= LEAST;
}

/* Each part of the inner dimension as one interval, in the order of memory. */
static void set_intervals(const struct summand__grid *grid, bool rows,
                          struct summand__holder *holders)
{
    const struct summand__cyclic *inner = rows ? &grid->rows : &grid->columns;
    for (int i = 0; i < summand__grid_processes(grid); i++) {
        int part = rows ? i / grid->columns.parts : i % grid->columns.parts;
        int64_t first = 0;
        for (int before = 0; before < part; before++)
            first += summand__cyclic_extent(inner, before);
        *(rows ? &holders[i].rows : &holders[i].columns) =
            summand__interval_share(first, summand__cyclic_extent(inner, part));
    }
}

/* If sums may have any order, they may go along the inner dimension in memory order, provided that
 * A and B have the same inner blocks. Then panels are whole even if blocks are small. */
static void join_inner(const struct summand__gemm_arguments *g, struct summand__holder *holders)
{
    const char *name = g->options.algorithm;
    const struct summand__cyclic *a = g->trans_a ? &g->a->grid.rows : &g->a->grid.columns;
    const struct summand__cyclic *b = g->trans_b ? &g->b->grid.columns : &g->b->grid.rows;
    if (!summand__gemm_any_order(&g->options) || a->block != b->block || a->parts != b->parts ||
        (name && !(summand__algorithm_named(name)->promises & SUMMAND__PAIR_ORDER)))
        return;
    set_intervals(&g->a->grid, g->trans_a, holders);
    set_intervals(&g->b->grid, !g->trans_b, holders + summand__grid_processes(&g->a->grid));
}

static bool set_shape(struct work *work, const struct summand__gemm_arguments *g,
                      const struct summand__state *state)
{
    const struct summand_matrix *matrices[MATRICES] = {g->a, g->b, g->c};
    struct summand__gemm_shape *shape = &work->shape;
    struct summand__holder *next;
    size_t count = 0;
    bool single = g->c->unit == sizeof(float);
    for (int m = 0; m < MATRICES; m++)
        count += (size_t)summand__grid_processes(&matrices[m]->grid);
    next = work->holders = malloc(count * sizeof *work->holders);
    if (!next)
        return false;
    shape->type = single ? SUMMAND__PRODUCT_F32 : SUMMAND__PRODUCT_F64;
    shape->blas = summand__gemm_any_order(&g->options) && !summand__product_kernel(false)->ordered;
    shape->alpha = single ? (double)(float)g->alpha : g->alpha;
    shape->beta = single ? (double)(float)g->beta : g->beta;
    shape->a = operand_of(g->a, g->trans_a, next);
    shape->b = operand_of(g->b, g->trans_b, next += shape->a.count);
    shape->c = operand_of(g->c, SUMMAND_TRANSPOSE_NO, next + shape->b.count);
    join_inner(g, work->holders);
    summand__gemm_entering(g->a, g->trans_a, &shape->rows, &shape->inner);
    shape->columns = g->c->grid.columns.extent;
    shape->helps = helpers_pay(g);
    shape->block = block_of(g);
    note_arguments(work, g);
    const struct summand__tuning *tuning = summand__tuned(state);
    if (!tuning)
        return false;
    const struct summand__model model = model_of(tuning, query_of(state, shape));
    const char *name = g->options.algorithm;
    const struct summand__algorithm *named = name ? summand__algorithm_named(name) : NULL;
    const struct summand__gemm_terms terms = {
        .ranks = state->ranks,
        .model = &model,
        .memory = (size_t)g->options.memory,
        .panel = (size_t)g->options.panel,
        .parts = g->trans_a ? g->a->grid.rows.parts : g->a->grid.columns.parts,
        .one_node = state->nodes.node_size >= state->ranks,
        .parts_add = name ? named && named->takes_boxes : summand__gemm_any_order(&g->options),
        .only_faster = !name};
    return summand__gemm_lay_out(shape, &terms);
}

static bool keep_counters(struct work *work, const struct summand__schedule *schedule)
{
    const struct summand__tables *tables = schedule->tables;
    work->counters = tables->n_counters;
    work->owed = malloc(tables->n_counters * sizeof *work->owed);
    if (work->owed)
        memcpy(work->owed, tables->counters, tables->n_counters * sizeof *work->owed);
    return work->owed;
}

static int choose(const struct work *work, const struct summand__state *state, const char *name,
                  struct summand__call *call, struct summand__choice *choice)
{
    struct summand__query query = query_of(state, &work->shape);
    if (!summand__gemm_any_order(&work->made_with.options) && !name)
        query.promises = SUMMAND__PAIR_ORDER;
    *choice = (struct summand__choice){.algorithm = name ? summand__algorithm_named(name) : NULL};
    enum summand__selection selection = summand__select(&query, NULL, call, choice);
    return selection == SUMMAND__SELECTED ? MPI_SUCCESS
           : selection == SUMMAND__SELECTION_FAILED
               ? summand_error_code(SUMMAND_ERR_MEMORY)
               : summand__algorithm_refuse("options.algorithm", choice->algorithm, call, 0);
}

/* Without the rows of small tables. */
static size_t bytes_of(const struct summand__schedule *schedule)
{
    size_t bytes = schedule->length * sizeof *schedule->steps;
    for (unsigned p = 0; p < schedule->places; p++) {
        const struct summand__place_info *info = &schedule->info[p];
        if (info->kind == SUMMAND__WINDOW || info->kind == SUMMAND__TEMPORARY)
            bytes += info->unit * info->count;
    }
    return bytes;
}

/* The local work of a rank: the shape and its schedule. */
static int prepare(struct summand__state *state, const struct summand__gemm_arguments *g,
                   struct work **made, struct summand__schedule *schedule,
                   struct summand__choice *choice)
{
    struct work *work = *made = calloc(1, sizeof *work);
    struct summand__call call = {
        .collective = SUMMAND__COLL_GEMM, .rank = state->rank, .ranks = state->ranks, .count = 1};
    int memory = summand_error_code(SUMMAND_ERR_MEMORY);
    if (!work || !set_shape(work, g, state))
        return memory;
    call.gemm = &work->shape;
    int code = choose(work, state, g->options.algorithm, &call, choice);
    if (code != MPI_SUCCESS)
        return code;
    if (!summand__build(choice->algorithm, &call, schedule))
        return memory;
    work->onesided.place[SUMMAND__GEMM_PLACE_A - SUMMAND__PLACES] = g->a->data;
    work->onesided.place[SUMMAND__GEMM_PLACE_B - SUMMAND__PLACES] = g->b->data;
    work->onesided.place[SUMMAND__GEMM_PLACE_C - SUMMAND__PLACES] = g->c->data;
    work->onesided.place[SUMMAND__GEMM_FINISH - SUMMAND__PLACES] = &work->finish;
    work->held[0] = summand__matrix_hold(g->a);
    work->held[1] = summand__matrix_hold(g->b);
    work->held[2] = summand__matrix_hold(g->c);
    place_views(work, schedule);
    work->number = summand__public_call(state->channel.calls);
    work->bytes = bytes_of(schedule);
    return summand__places_make(schedule, &work->onesided, &work->memory) &&
                   keep_counters(work, schedule)
               ? MPI_SUCCESS
               : memory;
}

int summand__gemm_plan(const struct summand__gemm_arguments *g, int tag, summand_plan **plan)
{
    struct summand__state *state = summand__gemm_state(g);
    struct summand__schedule schedule;
    struct summand__choice choice = {.algorithm = NULL};
    struct work *work = NULL;
    summand__schedule_init(&schedule);
    summand__enter_step(state);
    int code = summand__agree(state, prepare(state, g, &work, &schedule, &choice), NULL);
    summand__enter_step(state);
    if (code == MPI_SUCCESS)
        code = summand__plan_window_open(state, &schedule, g->options.timeout > 0, &work->onesided);
    struct summand__plan_parts parts = {.tag = tag,
                                        .root = SUMMAND_ROOT_ALL,
                                        .operator= summand__copy_operator(g->c->unit),
                                        .datatype = g->c->datatype,
                                        .schedule = &schedule,
                                        .choice = choice,
                                        .hooks = &hooks,
                                        .work = work};
    if (work)
        parts.onesided = &work->onesided;
    if (code != MPI_SUCCESS)
        summand__schedule_free(&schedule);
    return summand__plan_make_together(state, code, &parts, plan);
}

static bool same_name(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool same_options(const summand_gemm_options *a, const summand_gemm_options *b)
{
    return same_name(a->algorithm, b->algorithm) &&
           summand__gemm_any_order(a) == summand__gemm_any_order(b) && !a->no_help == !b->no_help &&
           a->panel == b->panel && a->memory == b->memory && (a->timeout > 0) == (b->timeout > 0) &&
           finishes(a) == finishes(b);
}

bool summand__gemm_serves(const void *context, const void *wanted)
{
    const struct summand__gemm_arguments *own = &((const struct work *)context)->made_with;
    const struct summand__gemm_arguments *g = wanted;
    return own->a == g->a && own->b == g->b && own->c == g->c && own->trans_a == g->trans_a &&
           own->trans_b == g->trans_b && !memcmp(&own->alpha, &g->alpha, sizeof g->alpha) &&
           !memcmp(&own->beta, &g->beta, sizeof g->beta) &&
           same_options(&own->options, &g->options);
}

bool summand__gemm_uses(const void *context, const void *matrix)
{
    const struct work *work = context;
    return work->held[0] == matrix || work->held[1] == matrix || work->held[2] == matrix;
}

uint64_t summand__gemm_number(const summand_plan *plan)
{
    return ((const struct work *)plan->work)->number;
}

size_t summand__gemm_bytes(const void *work)
{
    return ((const struct work *)work)->bytes;
}

void summand__gemm_rebind(summand_plan *plan, const struct summand__gemm_arguments *g)
{
    note_arguments(plan->work, g);
}
