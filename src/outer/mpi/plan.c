/* SPDX-License-Identifier: BSD-3-Clause */
/* A plan: the shape, the choice, the schedule, and memory for its places. */
#include <stdlib.h>
#include <string.h>

#include "compute/mpi/places.h"
#include "kernel/combine.h"
#include "kernel/fpenv_call.h"
#include "kernel/stream.h"
#include "outer/algorithm/build.h"
#include "outer/mpi/choice.h"
#include "outer/mpi/factored.h"
#include "plan/options.h"
#include "plan/plan.h"
#include "plan/tuned.h"
#include "process/error.h"

struct work {
    struct summand__onesided onesided;
    struct summand__outer_arguments arguments; /* matrices are the work's own */
    struct summand__outer_factored *factored;  /* or NULL; then the arguments gather its blocks */
    summand_outer_matrix *matrices;
    struct summand__outer_layer *layers;
    struct summand__outer_shape shape;
    struct summand__call call;
    struct summand__choice choice;
    struct summand__outer_part inside;
    summand__combiner *add;
    void *memory;        /* of temporary places */
    size_t extent;       /* bytes of an element of messages */
    unsigned char *told; /* of each row of this rank's parts, matrix after matrix; or NULL */
    int rank, ranks;
    struct summand__outer_known known; /* the exchanged data from which it was made */
};

static void reduce(const void *context, const void *in, void *inout, size_t count)
{
    const struct work *work = context;
    work->add(in, inout, inout, count);
}

static void combine(const void *context, const void *left, const void *right, void *out,
                    size_t count)
{
    const struct work *work = context;
    work->add(left, right, out, count);
}

static void copy(const void *context, const void *from, void *to, size_t count)
{
    const struct work *work = context;
    if (count)
        summand__copy_bytes(to, from, count * work->extent);
}

/* Rows of this rank's g. */
static size_t rows_of(const struct work *work, int matrix)
{
    if (work->shape.result == SUMMAND__OUTER_FACTORS)
        return work->shape.pairs[work->ranks];
    return summand__outer_part_of(&work->arguments, matrix, work->rank, work->ranks).rows;
}

static unsigned char *told_of(const struct work *work, int matrix)
{
    unsigned char *told = work->told;
    for (int m = 0; told && m < matrix; m++)
        told += rows_of(work, m);
    return told;
}

static void say_finished(const struct work *work, int matrix, size_t row, size_t rows)
{
    const summand_outer_options *options = &work->arguments.options;
    struct summand__fpenv *lent = summand__fpenv_lend();
    options->finished(options->context, matrix, (MPI_Count)row, (MPI_Count)rows);
    summand__fpenv_take_back(lent);
}

static void tell(void *context, uint32_t place, size_t first, size_t rows)
{
    const struct work *work = context;
    int matrix = (int)(place - SUMMAND__PLACES) / 3;
    size_t row = first / work->layers[matrix].ldg;
    memset(told_of(work, matrix) + row, 1, rows);
    say_finished(work, matrix, row, rows);
}

static void before(void *context)
{
    struct work *work = context;
    size_t rows = 0;
    if (work->factored)
        summand__outer_pack_block(work->factored);
    for (int m = 0; work->told && m < work->arguments.n; m++)
        rows += rows_of(work, m);
    if (rows)
        memset(work->told, 0, rows);
    work->onesided.tell = work->told ? tell : NULL;
}

/* Reports rows that have come from others. */
static int after(void *context)
{
    const struct work *work = context;
    for (int m = 0; work->told && m < work->arguments.n; m++) {
        const unsigned char *told = told_of(work, m);
        size_t rows = rows_of(work, m);
        for (size_t row = 0, end; row < rows; row = end) {
            for (end = row + 1; end < rows && told[end] == told[row];)
                end++;
            if (!told[row])
                say_finished(work, m, row, end - row);
        }
    }
    return work->factored ? summand__outer_make_results(work->factored) : MPI_SUCCESS;
}

static void drop(void *context)
{
    struct work *work = context;
    if (!work)
        return;
    summand__outer_factored_free(work->factored);
    summand__outer_forget(&work->known);
    summand__outer_release(&work->shape);
    free(work->matrices);
    free(work->layers);
    free(work->memory);
    free(work->told);
    free(work);
}

/* The caller's arguments. */
static const struct summand__outer_arguments *made_with(const struct work *work)
{
    return work->factored ? &work->factored->arguments : &work->arguments;
}

static void describe(const void *context, char *text, size_t room)
{
    const struct work *work = context;
    summand__outer_describe(made_with(work), text, room);
}

static const struct summand__plan_hooks hooks = {
    .before = before, .after = after, .drop = drop, .describe = describe};

static size_t pitch(MPI_Count given, size_t width)
{
    return given ? (size_t)given : width ? width : 1;
}

static void set_layer(struct work *work, int m, const struct summand__state *state)
{
    const summand_outer_matrix *matrix = &work->matrices[m];
    struct summand__outer_block block =
        summand__outer_part_of(&work->arguments, m, state->rank, state->ranks);
    size_t rows = (size_t)matrix->rows, columns = (size_t)matrix->columns;
    bool factors = work->shape.result == SUMMAND__OUTER_FACTORS;
    work->layers[m] = (struct summand__outer_layer){
        .rows = rows,
        .columns = columns,
        .symmetric = matrix->symmetric,
        .lda = pitch(matrix->lead_a, rows),
        .ldb = pitch(matrix->lead_b, columns),
        .ldg = pitch(matrix->lead_g,
                     factors ? rows + (matrix->symmetric ? 0 : columns) : block.columns)};
}

static void set_shape(struct work *work, const struct summand__state *state, bool dense)
{
    const struct summand__outer_arguments *arguments = &work->arguments;
    const summand_outer_options *o = &arguments->options;
    bool single = arguments->type != SUMMAND__OUTER_F64;
    size_t rows = 0, columns = 0;
    work->shape = (struct summand__outer_shape){
        .type = arguments->type,
        .result = arguments->result,
        .layers = arguments->n,
        .layer = work->layers,
        .grid_rows = o->grid_rows,
        .grid_columns = o->grid_columns,
        .dense = dense,
        .replicated = o->replicated,
        .any_bits = summand__outer_any_bits(o),
        .alpha = single ? (double)(float)arguments->alpha : arguments->alpha,
        .beta = single ? (double)(float)arguments->beta : arguments->beta};
    for (int m = 0; m < arguments->n; m++) {
        set_layer(work, m, state);
        rows += work->layers[m].rows;
        columns += work->layers[m].columns;
    }
    if (!o->grid_rows)
        summand__outer_grid(rows, columns, state->ranks, &work->shape.grid_rows,
                            &work->shape.grid_columns);
}

static bool copy_matrices(struct work *work, const struct summand__outer_arguments *arguments)
{
    size_t n = (size_t)arguments->n;
    work->arguments = *arguments;
    work->matrices = calloc(n + 1, sizeof *work->matrices);
    work->layers = calloc(n + 1, sizeof *work->layers);
    work->arguments.matrices = work->matrices;
    if (!work->matrices || !work->layers)
        return false;
    if (n)
        memcpy(work->matrices, arguments->matrices, n * sizeof *work->matrices);
    summand__outer_keep_names(&work->arguments.options);
    return true;
}

/* `parcel`: for an all-to-all in place of the call's result (shape.h), or NULL. */
static struct work *make_work(const struct summand__state *state,
                              const struct summand__outer_arguments *arguments,
                              const struct summand__outer_known *known, const size_t *parcel)
{
    struct work *work = calloc(1, sizeof *work);
    size_t *pairs = malloc((size_t)state->ranks * sizeof *pairs), rows = 0;
    bool good = work && pairs && copy_matrices(work, arguments) && summand__outer_reserve();
    if (good) {
        work->rank = state->rank;
        work->ranks = state->ranks;
        set_shape(work, state, !known->words[state->ranks]);
        for (int r = 0; r < state->ranks; r++)
            pairs[r] = (size_t)known->words[r];
        work->shape.parcel = parcel;
        if (parcel)
            work->shape.result = SUMMAND__OUTER_PARCELS;
        good = summand__outer_prepare(&work->shape, pairs, state->ranks);
        for (int m = 0; good && m < arguments->n; m++)
            rows += rows_of(work, m);
        if (arguments->options.finished)
            good = (work->told = malloc(rows + 1)) && good;
    }
    free(pairs);
    if (good)
        return work;
    drop(work);
    return NULL;
}

/* Reads the parameters that the caller has named for the collectives inside. */
static void read_inside(struct work *work)
{
    const struct summand__choice named = summand__options_choice(&work->arguments.options.inside);
    work->inside.algorithm = named.algorithm;
    memcpy(work->inside.parameter, named.parameter, sizeof named.parameter);
}

static int choose(struct work *work, struct summand__state *state)
{
    const summand_outer_options *o = &work->arguments.options;
    struct summand__call *call = &work->call;
    struct summand__choice *choice = &work->choice;
    const struct summand__groupings *nodes = o->inside.node_size ? NULL : state->nodes.groupings;
    work->shape.grouping = summand__grouping_for(nodes, false);
    work->shape.runs = summand__grouping_for(nodes, true);
    struct summand__query query = summand__query_on(state, work->shape.grouping);
    query.promises = summand__outer_any_order(o) ? 0 : SUMMAND__PAIR_ORDER;
    const struct summand__tuning *tuning = summand__tuned(state);
    if (!tuning)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    read_inside(work);
    *call = (struct summand__call){.collective = SUMMAND__COLL_OUTER,
                                   .ranks = state->ranks,
                                   .root = summand__outer_root_of(&work->arguments)};
    *choice = (struct summand__choice){
        .algorithm = o->algorithm ? summand__algorithm_named(o->algorithm) : NULL};
    enum summand__selection selection =
        summand__select_outer(&query, tuning, &work->shape, &work->inside, call, choice);
    if (selection == SUMMAND__SELECTION_FAILED)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    return selection == SUMMAND__SELECTED
               ? MPI_SUCCESS
               : summand__outer_refuse_choice(&query, tuning, &work->shape, &work->inside, call, o);
}

static void set_places(struct work *work)
{
    for (int m = 0; m < work->arguments.n; m++) {
        void **place = &work->onesided.place[3 * m];
        place[SUMMAND__OUTER_A] = (void *)work->matrices[m].a; /* never written: proved */
        place[SUMMAND__OUTER_B] = (void *)work->matrices[m].b;
        place[SUMMAND__OUTER_G] = work->matrices[m].g;
    }
    if (work->factored) {
        work->onesided.place[SUMMAND__OUTER_A] = work->factored->own;
        work->onesided.place[SUMMAND__OUTER_G] = work->factored->all;
    }
    work->onesided.context = work;
}

static MPI_Datatype datatype_of(size_t extent)
{
    return extent == 8 ? MPI_DOUBLE : extent == 4 ? MPI_FLOAT : MPI_UINT16_T;
}

/* Only an all-reduce combines, in any order that is the same on all ranks. Otherwise messages count
 * in elements of the factors; one of G is one or two. */
static struct summand__operator operator_of(struct work *work,
                                            const struct summand__algorithm *algorithm)
{
    bool single = work->arguments.type != SUMMAND__OUTER_F64;
    const unsigned promises = algorithm->promises & (SUMMAND__PAIR_ORDER | SUMMAND__SAME_BITS);
    work->extent = promises == SUMMAND__SAME_BITS ? summand__outer_result_size(work->shape.type)
                                                  : summand__outer_factor_size(work->shape.type);
    work->add = summand__combine_kernel(SUMMAND__COMBINE_SUM,
                                        single ? SUMMAND__COMBINE_F32 : SUMMAND__COMBINE_F64);
    return (struct summand__operator){.extent = work->extent,
                                      .context = work,
                                      .reduce = reduce,
                                      .copy = copy,
                                      .combine = combine};
}

static bool has_room(const struct work *work, MPI_Count room)
{
    return work->shape.result != SUMMAND__OUTER_FACTORS ||
           work->shape.pairs[work->ranks] <= (size_t)room;
}

static int refuse_room(MPI_Count room, size_t pairs, int matrix)
{
    return summand__refuse(SUMMAND_ERR_ARGUMENT,
                           "options.room is %lld; matrices[%d] has %zu pairs on all ranks together",
                           (long long)room, matrix, pairs);
}

static int make_plan(struct summand__state *state, struct work *work, int tag, summand_plan **plan)
{
    const struct summand__algorithm *algorithm = work->choice.algorithm;
    struct summand__call call = work->call;
    struct summand__schedule schedule;
    call.rank = state->rank;
    call.outer = &work->shape;
    memcpy(call.parameter, work->choice.parameter, sizeof call.parameter);
    if (!summand__build(algorithm, &call, &schedule)) {
        drop(work);
        return summand_error_code(SUMMAND_ERR_MEMORY);
    }
    if (!summand__places_make(&schedule, &work->onesided, &work->memory)) {
        summand__schedule_free(&schedule);
        drop(work);
        return summand_error_code(SUMMAND_ERR_MEMORY);
    }
    set_places(work);
    struct summand__plan_parts parts = {.tag = tag,
                                        .operator= operator_of(work, algorithm),
                                        .schedule = &schedule,
                                        .choice = {.algorithm = algorithm},
                                        .onesided = &work->onesided,
                                        .hooks = &hooks,
                                        .work = work};
    parts.datatype = datatype_of(work->extent);
    return summand__plan_make(state, &parts, plan);
}

/* Gathers the blocks of all ranks as the factors of one matrix; or sends each rank its own. */
static struct work *make_factored(const struct summand__state *state,
                                  const struct summand__outer_arguments *arguments,
                                  const struct summand__outer_known *known, bool slices)
{
    const size_t ranks = (size_t)state->ranks, step = known->count / ranks;
    struct summand__outer_factored *factored =
        summand__outer_factored(arguments, state->rank, state->ranks, known->words, slices);
    struct summand__outer_known blocks = {calloc(ranks + 1, sizeof *blocks.words), ranks + 1};
    struct work *work = NULL;
    if (factored && blocks.words) {
        summand_outer_matrix matrix;
        struct summand__outer_arguments gathering = summand__outer_gathering(factored, &matrix);
        for (size_t r = 0; r < ranks; r++)
            blocks.words[r] = known->words[r * step + 2 * (size_t)arguments->n];
        work = make_work(state, &gathering, &blocks, factored->parcel);
    }
    summand__outer_forget(&blocks);
    if (work) {
        work->factored = factored;
        work->shape.looks = summand__outer_looks(factored, known->words, &work->shape.packed);
    } else {
        summand__outer_factored_free(factored);
    }
    return work;
}

/* Takes `form`, unless it cannot be had, takes longer than `*work`, or takes more memory. */
static int take_form(struct summand__state *state, struct work **work, struct work *form)
{
    if (!form)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    const int code = choose(form, state);
    const bool better = !*work || (form->choice.seconds < (*work)->choice.seconds &&
                                   form->shape.largest <= (*work)->shape.pairs[state->ranks]);
    if (code != MPI_SUCCESS || !better) {
        drop(form);
        return code;
    }
    drop(*work);
    *work = form;
    return MPI_SUCCESS;
}

/* Chooses whole blocks or slices: the named form, else the one with the least estimated time. */
static int choose_factored(struct summand__state *state,
                           const struct summand__outer_arguments *arguments,
                           const struct summand__outer_known *known, struct work **work)
{
    const bool may = summand__outer_may_slice(arguments, state->ranks);
    const summand_outer_options *o = &arguments->options;
    int code = MPI_SUCCESS;
    if (!may || !o->algorithm)
        code = take_form(state, work, make_factored(state, arguments, known, false));
    if (code == MPI_SUCCESS && may)
        code = take_form(state, work, make_factored(state, arguments, known, true));
    if (summand_error_of(code) == SUMMAND_ERR_ALGORITHM)
        return summand__outer_refuse_factored(arguments);
    const int beyond =
        code == MPI_SUCCESS ? summand__outer_factored_beyond((*work)->factored, o) : arguments->n;
    if (beyond < arguments->n)
        code = refuse_room(o->room, (*work)->factored->pairs[beyond], beyond);
    return code;
}

static int choose_dense(struct summand__state *state,
                        const struct summand__outer_arguments *arguments,
                        const struct summand__outer_known *known, struct work **work)
{
    *work = make_work(state, arguments, known, NULL);
    if (!*work)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    const int code = summand__outer_check_rooms(arguments, known, state->ranks);
    return code == MPI_SUCCESS ? choose(*work, state) : code;
}

int summand__outer_plan(struct summand__state *state,
                        const struct summand__outer_arguments *arguments,
                        struct summand__outer_known *known, int tag, summand_plan **plan)
{
    struct work *work = NULL;
    const bool factored = summand__outer_is_factored(arguments);
    int code = factored ? choose_factored(state, arguments, known, &work)
                        : choose_dense(state, arguments, known, &work);
    if (code == MPI_SUCCESS && factored && !summand__outer_factored_reserve(work->factored))
        code = summand_error_code(SUMMAND_ERR_MEMORY);
    *plan = NULL;
    if (code == MPI_SUCCESS) {
        work->known = *known;
        known->words = NULL;
        return make_plan(state, work, tag, plan);
    }
    drop(work);
    return code;
}

/* Checks the arguments alone, the same on all ranks: as if no rank had a pair or a gap. */
int summand__outer_check_algorithm(const struct summand__outer_arguments *arguments,
                                   struct summand__state *state)
{
    struct summand__outer_arguments asked = *arguments;
    struct summand__outer_known none;
    struct work *work = NULL;
    asked.options.inside.algorithm = NULL;
    if (!summand__outer_known_begin(&none, arguments, state->ranks))
        return summand_error_code(SUMMAND_ERR_MEMORY);
    const int code = summand__outer_is_factored(arguments)
                         ? choose_factored(state, &asked, &none, &work)
                         : choose_dense(state, &asked, &none, &work);
    drop(work);
    summand__outer_forget(&none);
    return code;
}

bool summand__outer_serves(const void *context, const struct summand__outer_arguments *arguments,
                           const struct summand__outer_known *known)
{
    const struct work *work = context;
    return summand__outer_same(made_with(work), arguments) &&
           (!known || summand__outer_known_alike(&work->known, known)) &&
           (work->factored ? summand__outer_factored_beyond(work->factored, &arguments->options) ==
                                 arguments->n
                           : has_room(work, arguments->options.room));
}

void summand__outer_rebind(summand_plan *plan, const struct summand__outer_arguments *arguments)
{
    struct work *work = plan->work;
    if (work->factored) {
        summand__outer_factored_rebind(work->factored, arguments);
        return;
    }
    for (int m = 0; m < arguments->n; m++) {
        work->matrices[m].a = arguments->matrices[m].a;
        work->matrices[m].b = arguments->matrices[m].b;
        work->matrices[m].g = arguments->matrices[m].g;
    }
    work->arguments.options.finished = arguments->options.finished;
    work->arguments.options.context = arguments->options.context;
    set_places(work);
    summand__execution_attach(&plan->execution, &work->onesided);
}
