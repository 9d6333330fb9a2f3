/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the data of stages on groups: arrays, matrices that lie in them, and plans of their
 * products. */
#include <stdlib.h>
#include <string.h>

#include "compute/product.h"
#include "train/mpi/groups.h"
#include "train/mpi/together.h"

enum { BLOCK_MOST = 64 };
enum { X, Z, D, WHATS }; /* matrices of samples */

struct groups_product *groups_product(const struct groups *own, const struct groups_size *size,
                                      enum train_order_what what, int l, int slot)
{
    size_t layers = (size_t)own->cut.shape->layers + 1, slots = (size_t)own->slots;
    bool copy = what >= TRAIN_PRODUCTS;
    struct groups_product *of = copy ? own->copies : size->products;
    size_t kind = (size_t)what - (copy ? TRAIN_PRODUCTS : 0);
    return &of[(kind * layers + (size_t)l) * slots + (size_t)slot];
}

/* The matrix of all pieces of a batch, by its round; these come after the slots. */
static summand_matrix **matrix_of(const struct groups *own, const struct groups_size *size,
                                  int what, int l, int slot)
{
    size_t layers = (size_t)own->cut.shape->layers + 1, slots = (size_t)(own->slots + own->rounds);
    return &size->matrices[((size_t)what * layers + (size_t)l) * slots + (size_t)slot];
}

static summand_matrix **weight_matrix(const struct groups *own, int l, int version)
{
    return &own->weights[(size_t)l * (size_t)(own->versions + 2) + (size_t)version];
}

summand_matrix *groups_weights(const struct groups *own, int l, int version)
{
    return *weight_matrix(own, l, version);
}

/* The stage of layer l; the first one for layer 0. */
static int groups_stage(const struct groups *own, int l)
{
    int g = 0;
    while (g + 1 < own->grids.count && own->cut.first[g + 1] <= l)
        g++;
    return g;
}

size_t groups_piece(const struct groups *own, const struct groups_size *size, int slot)
{
    if (own->delay == TRAIN_STASHED)
        return size->batch;
    size_t first = (size_t)(slot % own->each) * own->piece;
    size_t left = size->batch > first ? size->batch - first : 0;
    return left < own->piece ? left : own->piece;
}

float *groups_weights_at(const struct groups_array *w, size_t version)
{
    return w->at + version * w->columns * w->lead;
}

/* The grid of an array, in the half that works forward or back. Sums and errors of the last layer
 * lie on a row of its group. */
static struct train_grid grid_of(const struct groups *own, bool back, int what, int l)
{
    struct train_grid grid = own->grids.of[groups_stage(own, l)];
    if (l == own->cut.shape->layers && what != X)
        grid = (struct train_grid){1, grid.rows * grid.columns, grid.first};
    if (back && own->twins)
        grid.first += own->grids.ranks;
    return grid;
}

static size_t block_of(size_t extent, int parts)
{
    size_t block = (extent + (size_t)parts - 1) / (size_t)parts;
    return block > BLOCK_MOST ? BLOCK_MOST : block;
}

/* Blocks of rows are those of the layer's width, with or without a row of ones after it. */
static struct train_deal rows_of(const struct groups *own, const struct train_grid *grid, int l,
                                 size_t rows, int rank)
{
    return (struct train_deal){rows, block_of(own->cut.shape->widths[l], grid->rows), grid->rows,
                               (rank - grid->first) / grid->columns};
}

static bool is_in(const struct train_grid *grid, int rank)
{
    return rank >= grid->first && rank < grid->first + grid->rows * grid->columns;
}

static bool make_array(struct groups *own, struct groups_array *array, size_t columns)
{
    array->rows = train_dealt(&array->deal);
    array->lead = (array->rows + SUMMAND__NET_LINE - 1) / SUMMAND__NET_LINE * SUMMAND__NET_LINE;
    if (array->lead == 0)
        array->lead = SUMMAND__NET_LINE;
    if (columns && array->lead > SIZE_MAX / 16 / columns)
        return false;
    size_t bytes = array->lead * (columns + !columns) * sizeof *array->at;
    if (posix_memalign((void **)&array->at, 64, bytes))
        array->at = NULL;
    if (array->at)
        memset(array->at, 0, bytes);
    own->bytes += bytes;
    return array->at;
}

static bool make_samples(struct groups *own, struct groups_array *array, int what, int l, int slots,
                         int rank)
{
    struct train_grid grid = grid_of(own, own->reverse || what == D, what, l);
    size_t width = own->cut.shape->widths[l], columns = (size_t)grid.columns;
    bool last = l == own->cut.shape->layers;
    if (!is_in(&grid, rank))
        return true;
    /* Errors have one more row, for the error of the ones, which is not used. */
    array->deal = rows_of(own, &grid, l, width + (what == X || (what == D && !last)), rank);
    array->columns = array->block = (own->piece + columns - 1) / columns;
    return make_array(own, array, array->block * (size_t)slots);
}

static bool make_weights(struct groups *own, struct groups_array *array, int l, int versions,
                         int rank)
{
    struct train_grid grid = grid_of(own, own->reverse, X, l);
    if (!is_in(&grid, rank))
        return true;
    size_t inputs = own->cut.shape->widths[l - 1] + 1;
    struct train_deal columns = {inputs, block_of(inputs, grid.columns), grid.columns,
                                 (rank - grid.first) % grid.columns};
    array->deal = rows_of(own, &grid, l, own->cut.shape->widths[l], rank);
    array->block = columns.block;
    array->columns = train_dealt(&columns);
    return make_array(own, array, array->columns * (size_t)versions);
}

static void set_ones(const struct groups *own, struct groups_array *x, int l)
{
    size_t columns = x->columns * (size_t)own->slots;
    if (x->at && x->rows && train_dealt_index(&x->deal, x->rows - 1) == own->cut.shape->widths[l])
        for (size_t j = 0; j < columns; j++)
            x->at[j * x->lead + x->rows - 1] = 1;
}

static bool make_memory(struct train_run *run, struct groups *own)
{
    int layers = run->shape->layers, sums = own->twins ? own->slots : 1;
    int kept = own->versions + (own->twins && !own->reverse);
    bool good = true;
    for (int l = 0; l <= layers && good; l++) {
        good = make_samples(own, &own->x[l], X, l, own->slots, run->rank);
        set_ones(own, &own->x[l], l);
        if (l && good)
            good = (l < layers || make_samples(own, &own->z[l], Z, l, sums, run->rank)) &&
                   make_samples(own, &own->d[l], D, l, own->each, run->rank) &&
                   make_weights(own, &own->w[l], l, kept, run->rank) &&
                   (run->options.momentum == 0 || (own->twins && !own->reverse) ||
                    make_weights(own, &own->velocity[l], l, 1, run->rank));
    }
    size_t size = (size_t)layers + 1, slots = (size_t)own->slots, all = slots + (size_t)own->rounds;
    own->sample = calloc(run->shape->widths[0] + 1, sizeof *own->sample);
    own->weights = calloc(size * (size_t)(own->versions + 2), sizeof(summand_matrix *));
    own->copies =
        calloc((TRAIN_ORDER_WHATS - TRAIN_PRODUCTS) * size * slots, sizeof(struct groups_product));
    for (int c = 0; c < 2; c++) {
        own->size[c].products =
            calloc(TRAIN_PRODUCTS * size * slots, sizeof(struct groups_product));
        own->size[c].matrices = calloc(WHATS * size * all, sizeof(summand_matrix *));
        good = good && own->size[c].products && own->size[c].matrices;
    }
    return good && own->sample && own->weights && own->copies;
}

static int create(struct train_run *run, const struct groups *own, const struct train_grid *grid,
                  size_t rows, size_t columns, size_t block_rows, size_t block_columns, float *at,
                  size_t lead, summand_matrix **matrix)
{
    const struct summand_matrix_shape shape = {.rows = (MPI_Count)rows,
                                               .columns = (MPI_Count)columns,
                                               .block_rows = (MPI_Count)block_rows,
                                               .block_columns = (MPI_Count)block_columns,
                                               .grid_rows = grid->rows,
                                               .grid_columns = grid->columns,
                                               .group = own->ranks + grid->first};
    return summand_matrix_create(&shape, MPI_FLOAT, at, at ? (MPI_Count)lead : 0, train_comm(run),
                                 matrix);
}

/* This rank's part of a slot of samples, or NULL if it has none. */
static float *at_of(const struct train_grid *grid, const struct train_run *run,
                    const struct groups_array *array, int slot)
{
    return is_in(grid, run->rank) && array->at
               ? array->at + (size_t)slot * array->columns * array->lead
               : NULL;
}

/* Makes a matrix of one piece, or of all of a batch: `count` samples, from slot `slot` on. */
static int create_samples(struct train_run *run, struct groups *own, struct groups_size *size,
                          int what, int l, int slot, size_t count)
{
    bool back = what == D || slot >= own->slots; /* all inputs of a batch: for its gradient */
    struct train_grid grid = grid_of(own, back, what, l);
    const struct groups_array *array = what == X ? &own->x[l] : what == Z ? &own->z[l] : &own->d[l];
    size_t width = run->shape->widths[l], columns = (size_t)grid.columns;
    int at = slot < own->slots ? slot : (slot - own->slots) * own->each;
    if (what != X)
        at = what == Z ? train_order_sum_slot(&own->order, at)
                       : train_order_error_slot(&own->order, at);
    /* The row of ones is an input, but not an output. */
    return create(run, own, &grid, width + (what == X), count, block_of(width, grid.rows),
                  (own->piece + columns - 1) / columns, at_of(&grid, run, array, at), array->lead,
                  matrix_of(own, size, what, l, slot));
}

/* Makes the results of products: outputs of layer l without the ones, or errors with that of the
 * ones. */
static int create_result(struct train_run *run, struct groups *own, int what, int l, int slot,
                         size_t count, summand_matrix **matrix)
{
    struct train_grid grid = grid_of(own, what == D, what, l);
    const struct groups_array *array = what == X ? &own->x[l] : &own->d[l];
    size_t width = run->shape->widths[l], columns = (size_t)grid.columns;
    int at = what == X ? slot : train_order_error_slot(&own->order, slot);
    return create(run, own, &grid, width + (what == D), count, block_of(width, grid.rows),
                  (own->piece + columns - 1) / columns, at_of(&grid, run, array, at), array->lead,
                  matrix);
}

static void finish_tile(const summand_gemm_tile *tile, void *context)
{
    const struct groups_finish *finish = context;
    size_t row = (size_t)tile->row, rows = (size_t)tile->rows;
    if (row >= finish->rows)
        return;
    rows = rows < finish->rows - row ? rows : finish->rows - row;
    for (size_t j = 0; j < (size_t)tile->columns; j++) {
        float *column = (float *)tile->elements + j * (size_t)tile->lead;
        if (finish->x)
            finish->activation->derive(
                rows, finish->x + (j + (size_t)tile->column) * finish->lead + row, column);
        else
            finish->activation->apply(rows, column);
    }
}

/* For products with a result of hidden layer l: outputs, or errors by the outputs of the slot. */
static void set_finish(const struct groups *own, struct groups_product *product, int l, int slot,
                       bool derivative, int rank)
{
    const struct groups_array *x = &own->x[l];
    struct train_grid grid = grid_of(own, derivative, X, l);
    product->finish.activation = own->cut.shape->hidden;
    if (!is_in(&grid, rank))
        return;
    struct train_deal rows = rows_of(own, &grid, l, own->cut.shape->widths[l], rank);
    product->finish.rows = train_dealt(&rows);
    product->finish.lead = x->lead;
    product->finish.x = derivative ? x->at + (size_t)slot * x->columns * x->lead : NULL;
}

static int make_matrices(struct train_run *run, struct groups *own, struct groups_size *size)
{
    int code = MPI_SUCCESS;
    for (int l = 0; l <= run->shape->layers; l++)
        for (int slot = 0; slot < own->slots + own->rounds; slot++)
            for (int what = X; what < WHATS && code == MPI_SUCCESS; what++) {
                bool whole = slot >= own->slots;
                size_t count = whole ? size->batch : groups_piece(own, size, slot);
                if (!count || (!l && what != X) || (what == Z && (whole || l < run->shape->layers)))
                    continue;
                code = create_samples(run, own, size, what, l, slot, count);
            }
    return code;
}

/* Makes the matrix of a version, of the velocity after the versions, or of the version in use. */
static int make_weight_matrix(struct train_run *run, struct groups *own, int l, int version)
{
    bool velocity = version == own->versions, taken = version > own->versions;
    struct train_grid grid = grid_of(own, !taken, X, l);
    const struct groups_array *array = velocity ? &own->velocity[l] : &own->w[l];
    size_t inputs = run->shape->widths[l - 1] + 1, outputs = run->shape->widths[l];
    return create(run, own, &grid, outputs, inputs, block_of(outputs, grid.rows),
                  block_of(inputs, grid.columns),
                  at_of(&grid, run, array, velocity || taken ? 0 : version), array->lead,
                  weight_matrix(own, l, version));
}

static int make_weight_matrices(struct train_run *run, struct groups *own)
{
    int code = MPI_SUCCESS, versions = own->versions;
    for (int l = 1; l <= run->shape->layers; l++)
        for (int v = 0; v < versions + 2 && code == MPI_SUCCESS; v++)
            if (v < versions || (v == versions && run->options.momentum != 0) ||
                (v > versions && own->twins))
                code = make_weight_matrix(run, own, l, v);
    return code;
}

static int plan(struct train_run *run, struct groups *own, struct groups_product *product,
                enum summand_transpose trans_a, double alpha, const summand_matrix *a,
                enum summand_transpose trans_b, const summand_matrix *b, double beta,
                summand_matrix *c, int stage_a, int stage_b, bool back)
{
    const summand_gemm_options options = {.promise = run->arithmetic->kernel->ordered
                                                         ? SUMMAND_PROMISE_DEFAULT
                                                         : SUMMAND_PROMISE_SAME,
                                          .no_help = stage_a != stage_b,
                                          .finish = product->finish.activation ? finish_tile : NULL,
                                          .context = &product->finish};
    product->mine =
        (own->stage == stage_a || own->stage == stage_b) && (!own->twins || own->reverse == back);
    return summand_gemm_init(trans_a, trans_b, alpha, a, b, beta, c, &options, &product->plan);
}

/* Z = W X; finishing makes it the outputs of hidden layers, in place. */
static int make_forward(struct train_run *run, struct groups *own, struct groups_size *size, int l,
                        int slot, const summand_matrix *w, size_t count)
{
    struct groups_product *product = groups_product(own, size, TRAIN_FORWARD, l, slot);
    bool hidden = l < run->shape->layers;
    summand_matrix *outputs = hidden ? NULL : *matrix_of(own, size, Z, l, slot);
    int code = MPI_SUCCESS;
    if (hidden) {
        set_finish(own, product, l, slot, false, run->rank);
        code = create_result(run, own, X, l, slot, count, &outputs);
    }
    if (code == MPI_SUCCESS)
        code = plan(run, own, product, SUMMAND_TRANSPOSE_NO, 1, w, SUMMAND_TRANSPOSE_NO,
                    *matrix_of(own, size, X, l - 1, slot), 0, outputs, groups_stage(own, l),
                    groups_stage(own, l - 1), false);
    if (hidden && outputs)
        summand_matrix_free(&outputs); /* the plan keeps what it needs */
    return code;
}

/* Errors of the layer before: W^T D by the derivative. */
static int make_back(struct train_run *run, struct groups *own, struct groups_size *size, int l,
                     int slot, const summand_matrix *w, size_t count)
{
    struct groups_product *product = groups_product(own, size, TRAIN_BACK, l, slot);
    summand_matrix *errors = NULL;
    set_finish(own, product, l - 1, slot, true, run->rank);
    int code = create_result(run, own, D, l - 1, slot, count, &errors);
    if (code == MPI_SUCCESS)
        code = plan(run, own, product, SUMMAND_TRANSPOSE_YES, 1, w, SUMMAND_TRANSPOSE_NO,
                    *matrix_of(own, size, D, l, slot), 0, errors, groups_stage(own, l),
                    groups_stage(own, l - 1), true);
    if (errors)
        summand_matrix_free(&errors);
    return code;
}

static int make_products(struct train_run *run, struct groups *own, struct groups_size *size)
{
    int code = MPI_SUCCESS;
    for (int l = 1; l <= run->shape->layers; l++)
        for (int slot = 0; slot < own->slots && code == MPI_SUCCESS; slot++) {
            const summand_matrix *w = *weight_matrix(
                own, l, train_order_weight_slot(&own->order, groups_stage(own, l), slot));
            size_t count = groups_piece(own, size, slot);
            if (!count)
                continue;
            code = make_forward(run, own, size, l, slot,
                                own->twins ? *weight_matrix(own, l, own->versions + 1) : w, count);
            if (l > 1 && code == MPI_SUCCESS)
                code = make_back(run, own, size, l, slot, w, count);
        }
    return code;
}

/* A batch's gradients, of all pieces of a round. */
static int make_gradient(struct train_run *run, struct groups *own, struct groups_size *size, int l,
                         int round, double rate)
{
    const struct train_options *o = &run->options;
    struct groups_product *product =
        groups_product(own, size, TRAIN_GRADIENT, l, round * own->each);
    int at = own->slots + round, version = (round + 1) % own->versions;
    bool along = o->momentum != 0;
    double alpha =
        along ? (double)(1 / (float)size->batch) : (double)-(float)(rate / (double)size->batch);
    if (product->plan) {
        int code = summand_plan_free(&product->plan);
        if (code != MPI_SUCCESS)
            return code;
    }
    return plan(run, own, product, SUMMAND_TRANSPOSE_NO, alpha, *matrix_of(own, size, D, l, at),
                SUMMAND_TRANSPOSE_YES, *matrix_of(own, size, X, l - 1, at),
                along ? (double)(float)o->momentum : 1,
                *weight_matrix(own, l, along ? own->versions : version), groups_stage(own, l),
                groups_stage(own, l - 1), true);
}

bool groups_make_gradients(struct train_run *run, struct groups *own, double rate,
                           struct summand__net_fault *fault)
{
    int code = MPI_SUCCESS;
    if (memcmp(&own->rate, &rate, sizeof rate) == 0)
        return true;
    for (int c = 0; c < 2; c++)
        for (int l = 1; l <= run->shape->layers && own->size[c].batch; l++)
            for (int round = 0; round < own->rounds && code == MPI_SUCCESS; round++)
                code = make_gradient(run, own, &own->size[c], l, round, rate);
    own->rate = rate;
    return train_check(code, "products of the groups", fault);
}

bool groups_make(struct train_run *run, struct groups *own, struct summand__net_fault *fault)
{
    int code = MPI_SUCCESS;
    own->rate = -1;
    own->size[0].batch = run->options.batch;
    own->size[1].batch = run->train % run->options.batch;
    bool good = make_memory(run, own) || summand__net_fail_memory(fault);
    if (!train_run_agree(run, good, fault))
        return false;
    code = make_weight_matrices(run, own);
    for (int c = 0; c < 2 && own->size[c].batch && code == MPI_SUCCESS; c++) {
        code = make_matrices(run, own, &own->size[c]);
        if (code == MPI_SUCCESS)
            code = make_products(run, own, &own->size[c]);
    }
    return train_check(code, "matrices of the groups", fault);
}

static void free_size(const struct train_run *run, struct groups *own, struct groups_size *size)
{
    size_t layers = (size_t)run->shape->layers + 1, slots = (size_t)own->slots;
    size_t all = slots + (size_t)own->rounds;
    for (size_t i = 0; size->products && i < TRAIN_PRODUCTS * layers * slots; i++)
        if (size->products[i].plan)
            summand_plan_free(&size->products[i].plan);
    for (size_t i = 0; size->products && i < TRAIN_PRODUCTS * layers * slots; i++)
        summand__recording_free(&size->products[i].recording);
    for (size_t i = 0; size->matrices && i < WHATS * layers * all; i++)
        if (size->matrices[i])
            summand_matrix_free(&size->matrices[i]);
    free(size->products);
    free(size->matrices);
}

void groups_free(struct train_run *run, struct groups *own)
{
    struct groups_array *const arrays[] = {own->x, own->z, own->d, own->w, own->velocity};
    for (int c = 0; c < 2; c++)
        free_size(run, own, &own->size[c]);
    for (int i = 0; own->weights && i < (run->shape->layers + 1) * (own->versions + 2); i++)
        if (own->weights[i])
            summand_matrix_free(&own->weights[i]);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        for (int l = 0; l <= SUMMAND__NET_LAYERS_MOST; l++)
            free(arrays[k][l].at);
    train_recorder_free(&own->recorder);
    free(own->weights);
    free(own->sample);
    free(own->ranks);
}
