/* SPDX-License-Identifier: BSD-3-Clause */
#include "matrix/gemm/build.h"

#include "kernel/fpenv_call.h"
#include "matrix/activation.h"

/* A column. Each bias is added by itself; their sum is not formed. NaNs are canonical. */
#define COLUMN(type, real)                                                                         \
    static void column_##type(const struct summand__gemm_finish *finish, size_t row,               \
                              size_t column, size_t count, void *elements)                         \
    {                                                                                              \
        const real *rows = finish->row_bias, *columns = finish->column_bias;                       \
        real *x = elements;                                                                        \
        for (size_t i = 0; rows && i < count; i++)                                                 \
            x[i] += rows[row + i];                                                                 \
        for (size_t i = 0; columns && i < count; i++)                                              \
            x[i] += columns[column];                                                               \
        summand__activations[finish->activation].type(count, x);                                   \
        for (size_t i = 0; i < count; i++)                                                         \
            x[i] = x[i] == x[i] ? x[i] : (real)NAN;                                                \
    }
COLUMN(f64, double)
COLUMN(f32, float)

/* Columns of C are the rows of the result. */
static int run(const struct summand__work *work, size_t unit, size_t first, size_t rows,
               void (*column)(const struct summand__gemm_finish *, size_t, size_t, size_t, void *))
{
    const struct summand__gemm_finish *finish = work->from.data;
    const struct summand__rectangle shape = {rows, work->to.shape.count, work->to.shape.pitch};
    char *begin = (char *)work->to.data + first * shape.pitch * unit;
    size_t element = (size_t)(begin - (const char *)finish->array) / unit;
    size_t row = element % finish->lead, number = element / finish->lead;
    bool plain = !finish->row_bias && !finish->column_bias && !finish->activation;
    struct summand__fpenv_plain environment = summand__fpenv_enter();
    for (size_t j = 0; j < rows && !plain; j++)
        column(finish, row, number + j, shape.count, begin + j * shape.pitch * unit);
    summand__fpenv_leave(environment);
    if (finish->call) {
        struct summand__fpenv *lent = summand__fpenv_lend();
        finish->call(finish->context, begin, row, number, &shape);
        summand__fpenv_take_back(lent);
    }
    return 0;
}

static int run_f64(const struct summand__work *work, size_t unit, size_t first, size_t rows)
{
    return run(work, unit, first, rows, column_f64);
}

static int run_f32(const struct summand__work *work, size_t unit, size_t first, size_t rows)
{
    return run(work, unit, first, rows, column_f32);
}

/* The approximate cost of an exponential and a quotient. */
static struct summand__work_cost effort(const struct summand__work *work, size_t unit)
{
    enum { OPERATIONS = 20 };
    double elements = (double)work->to.shape.rows * (double)work->to.shape.count;
    return (struct summand__work_cost){OPERATIONS * elements, 2 * elements * (double)unit};
}

#define ROW(word, function, bytes)                                                                 \
    {                                                                                              \
        .name = "gemm-finish-" word,                                                               \
        .description = "result = activation(result + biases), then the caller's function",         \
        .meaning = SUMMAND__UPDATE, .from = SUMMAND__NOTHING, .with = SUMMAND__NOTHING,            \
        .unit = sizeof(struct summand__gemm_finish), .result = bytes, .run = function,             \
        .effort = effort                                                                           \
    }

const struct summand__kernel summand__gemm_finishes[SUMMAND__PRODUCT_TYPES] = {
    [SUMMAND__PRODUCT_F64] = ROW("f64", run_f64, sizeof(double)),
    [SUMMAND__PRODUCT_F32] = ROW("f32", run_f32, sizeof(float))};
