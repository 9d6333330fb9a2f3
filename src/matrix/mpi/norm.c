/* SPDX-License-Identifier: BSD-3-Clause */
/* Norms. Sums are exact: each rank deposits its elements of some columns, or rows, in accumulators.
 * These are merged over all ranks and rounded once. */
#include "matrix/mpi/norm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute/kernels.h"
#include "op/buffer.h"
#include "plan/join.h"
#include "process/error.h"
#include "schedule/compute.h"
#include "sum/exact_operand.h"

enum {
    BATCH = 256, /* columns or rows whose sums are merged together */
    STRIP = 32   /* rows that are collected for their sums */
};

struct work {
    const struct summand_matrix *matrix;
    enum summand_norm norm;
    struct summand__exact_shape shape;
    struct summand__exact_operand *mine, *total;
    int64_t first, lines; /* columns or rows of this batch, and of all */
    void *strip;          /* STRIP contiguous rows */
    double largest;       /* so far; NaN after the first NaN */
};

static double larger(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : a > b ? a : b;
}

/* Deposits absolute values, or squares, into the sum of column or row i of the batch. */
static void deposit(const struct work *work, size_t i, const void *x, int64_t count)
{
    const struct summand__batch batch = summand__exact_batch(&work->shape, work->mine);
    summand__batch_add(&batch, i,
                       work->norm == SUMMAND_NORM_FROBENIUS ? SUMMAND__PASS_SQUARES
                                                            : SUMMAND__PASS_ASUM,
                       work->matrix->unit == sizeof(float), (size_t)count, x, x);
}

static void deposit_all(const struct work *work)
{
    int64_t rows = work->matrix->rows;
    for (int64_t j = 0; rows && j < work->matrix->columns; j++)
        deposit(work, 0, summand__matrix_column(work->matrix, j), rows);
}

/* Deposits this rank's part of `count` columns or rows that are adjacent in its memory. */
static void deposit_columns(const struct work *work, int64_t local, int64_t count, size_t first)
{
    for (int64_t j = 0; work->matrix->rows && j < count; j++)
        deposit(work, first + (size_t)j, summand__matrix_column(work->matrix, local + j),
                work->matrix->rows);
}

static void deposit_rows(const struct work *work, int64_t local, int64_t count, size_t first)
{
    const struct summand_matrix *matrix = work->matrix;
    size_t columns = (size_t)matrix->columns;
    for (int64_t i = 0, rows; i < count && columns; i += rows) {
        rows = count - i < STRIP ? count - i : STRIP;
        struct summand__work turn = {.from = {matrix->data + (size_t)(local + i) * matrix->unit,
                                              {columns, (size_t)rows, (size_t)matrix->lead}},
                                     .to = {work->strip, {(size_t)rows, columns, columns}}};
        summand__kernel_named("transpose")->run(&turn, matrix->unit, 0, (size_t)rows);
        for (int64_t r = 0; r < rows; r++)
            deposit(work, first + (size_t)(i + r),
                    (const char *)work->strip + (size_t)r * columns * matrix->unit,
                    matrix->columns);
    }
}

static void deposit_lines(const struct work *work)
{
    const struct summand_matrix *matrix = work->matrix;
    bool columns = work->norm == SUMMAND_NORM_ONE;
    const struct summand__cyclic *cyclic = columns ? &matrix->grid.columns : &matrix->grid.rows;
    int across = matrix->grid.columns.parts;
    int part = columns ? matrix->process % across : matrix->process / across;
    const struct summand__share share = summand__cyclic_share(cyclic, part);
    const struct summand__share batch =
        summand__interval_share(work->first, (int64_t)work->shape.k < work->lines - work->first
                                                 ? (int64_t)work->shape.k
                                                 : work->lines - work->first);
    struct summand__overlap own;
    for (int64_t i = work->first; summand__overlap_next(&share, &batch, i, &own);
         i = own.index + own.count)
        (columns ? deposit_columns : deposit_rows)(work, own.from, own.count, (size_t)own.to);
}

static void before(void *context)
{
    struct work *work = context;
    work->mine->head = (struct summand__head){work->shape.signature, SUMMAND__GOOD};
    const struct summand__batch batch = summand__exact_batch(&work->shape, work->mine);
    summand__batch_clear(&batch);
    if (work->matrix->process < 0)
        return;
    (work->norm == SUMMAND_NORM_FROBENIUS ? deposit_all : deposit_lines)(work);
}

static int after(void *context)
{
    struct work *work = context;
    bool single = work->matrix->unit == sizeof(float), root = work->norm == SUMMAND_NORM_FROBENIUS;
    if (work->total->head.error_flag)
        return summand__error_flag_code(work->total->head.error_flag);
    const struct summand__batch batch = summand__exact_batch(&work->shape, work->total);
    for (size_t i = 0; i < work->shape.k; i++) {
        summand_exact sum;
        summand__batch_sum(&batch, i, &sum);
        double value = root     ? single ? summand_exact_sqrt_f32(&sum) : summand_exact_sqrt(&sum)
                           : single ? summand_exact_round_f32(&sum)
                                : summand_exact_round(&sum);
        work->largest = larger(work->largest, value);
    }
    return MPI_SUCCESS;
}

static void drop(void *context)
{
    struct work *work = context;
    if (!work)
        return;
    free(work->mine);
    free(work->total);
    free(work->strip);
    free(work);
}

static const struct summand__plan_hooks hooks = {.before = before, .after = after, .drop = drop};

static struct work *make_work(const struct summand_matrix *matrix, enum summand_norm norm)
{
    struct work *work = calloc(1, sizeof *work);
    if (!work)
        return NULL;
    const struct summand__grid *grid = &matrix->grid;
    bool whole = norm == SUMMAND_NORM_FROBENIUS, any = grid->rows.extent && grid->columns.extent;
    work->lines = whole                      ? 1
                  : !any                     ? 0
                  : norm == SUMMAND_NORM_ONE ? grid->columns.extent
                                             : grid->rows.extent;
    work->matrix = matrix;
    work->norm = norm;
    work->shape = (struct summand__exact_shape){
        work->lines < BATCH ? work->lines > 0 ? (size_t)work->lines : 1 : BATCH,
        0x4d0a7e00u + (uint32_t)norm};
    size_t bytes = summand__exact_operator(&work->shape).extent;
    bool rows = norm == SUMMAND_NORM_INFINITY && matrix->rows;
    work->mine = malloc(bytes);
    work->total = malloc(bytes);
    work->strip = rows ? calloc((size_t)matrix->columns + 1, STRIP * matrix->unit) : NULL;
    if (work->mine && work->total && (work->strip || !rows))
        return work;
    drop(work);
    return NULL;
}

static int by_sums(const struct summand_matrix *matrix, enum summand_norm norm, int tag,
                   double *result)
{
    struct work *work = make_work(matrix, norm);
    summand_plan *plan;
    struct summand__plan_parts parts = {
        .tag = tag, .root = SUMMAND_ROOT_ALL, .hooks = &hooks, .work = work};
    if (work) {
        parts.operator= summand__exact_operator(&work->shape);
        parts.sendbuf = work->mine;
        parts.recvbuf = work->total;
    }
    int code = work ? MPI_SUCCESS : summand_error_code(SUMMAND_ERR_MEMORY);
    code = summand__plan_make_together(matrix->state, code, &parts, &plan);
    while (code == MPI_SUCCESS && work->first < work->lines) {
        code = summand__plan_run(plan);
        work->first += (int64_t)work->shape.k;
    }
    if (code == MPI_SUCCESS)
        *result = work->largest;
    summand_plan_free(&plan);
    return code;
}

static double local_max(const struct summand_matrix *matrix)
{
    double largest = 0;
    for (int64_t j = 0; matrix->rows && j < matrix->columns; j++) {
        const void *column = summand__matrix_column(matrix, j);
        for (int64_t i = 0; i < matrix->rows; i++)
            largest = larger(largest, matrix->unit == sizeof(float)
                                          ? (double)fabsf(((const float *)column)[i])
                                          : fabs(((const double *)column)[i]));
    }
    return largest;
}

/* Gathers every rank's maximum, at its place. */
static int by_maxima(const struct summand_matrix *matrix, double *maxima, int tag, double *result)
{
    struct summand__state *state = matrix->state;
    maxima[state->rank] = local_max(matrix);
    summand__enter_step(state);
    int code = summand__join(state, tag, maxima, (size_t)state->ranks * sizeof *maxima);
    *result = 0;
    for (int r = 0; r < state->ranks && code == MPI_SUCCESS; r++)
        *result = larger(*result, maxima[r]);
    return code;
}

static void store(const struct summand_matrix *matrix, double value, void *result)
{
    static const uint64_t nan = UINT64_C(0x7ff8000000000000);
    static const uint32_t nan_single = 0x7fc00000u;
    if (matrix->unit == sizeof(double))
        memcpy(result, isnan(value) ? (const void *)&nan : &value, sizeof value);
    else if (isnan(value))
        memcpy(result, &nan_single, sizeof nan_single);
    else
        *(float *)result = (float)value;
}

int summand__matrix_norm(const struct summand_matrix *matrix, enum summand_norm norm, void *result,
                         const char *call, int tag)
{
    struct summand__signature signature;
    double value = 0;
    double *maxima = calloc((size_t)matrix->state->ranks, sizeof *maxima);
    int code = maxima ? MPI_SUCCESS : summand_error_code(SUMMAND_ERR_MEMORY);
    if (code == MPI_SUCCESS && (unsigned)norm > SUMMAND_NORM_INFINITY)
        code = summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "norm is %d, not %d (SUMMAND_NORM_FROBENIUS) to %d "
                               "(SUMMAND_NORM_INFINITY)",
                               (int)norm, SUMMAND_NORM_FROBENIUS, SUMMAND_NORM_INFINITY);
    if (code == MPI_SUCCESS && summand__no_buffer(result))
        code = summand__refuse_as(MPI_ERR_BUFFER, "result is %s", summand__no_buffer_name(result));
    summand__sign_call(&signature, call);
    summand__matrix_sign_as(&signature, "matrix", matrix);
    summand__sign_number(&signature, "norm", norm);
    code = summand__matrix_agree(matrix->state, code, &signature, tag);
    if (code == MPI_SUCCESS)
        code = norm == SUMMAND_NORM_MAX ? by_maxima(matrix, maxima, tag, &value)
                                        : by_sums(matrix, norm, tag, &value);
    if (code == MPI_SUCCESS)
        store(matrix, value, result);
    free(maxima);
    return code;
}
