/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of computations. The chain of each element goes along k. So its bits depend neither
 * on how rows are cut nor on how k is spread over several computations. */
#include "compute/kernels.h"

#include <string.h>

#include "compute/copy.h"

static double *row_of(const struct summand__array *array, size_t row)
{
    return (double *)array->data + row * array->shape.pitch;
}

static void begin_row(const struct summand__work *work, size_t row)
{
    if (work->begins)
        memset(row_of(&work->to, row), 0, work->to.shape.count * sizeof(double));
}

/* A row of the result += factor times a row of the right operand. */
static void add_row(const struct summand__work *work, double factor, size_t k, double *to)
{
    const double *with = row_of(&work->with, k);
    for (size_t j = 0; j < work->to.shape.count; j++)
        to[j] += factor * with[j];
}

static int run_product(const struct summand__work *work, size_t unit, size_t first, size_t rows)
{
    (void)unit;
    for (size_t i = first; i < first + rows; i++) {
        begin_row(work, i);
        for (size_t k = 0; k < work->from.shape.count; k++)
            add_row(work, row_of(&work->from, i)[k], k, row_of(&work->to, i));
    }
    return 0;
}

static int run_outer(const struct summand__work *work, size_t unit, size_t first, size_t rows)
{
    (void)unit;
    for (size_t i = first; i < first + rows; i++) {
        begin_row(work, i);
        for (size_t k = 0; k < work->from.shape.rows; k++)
            add_row(work, row_of(&work->from, k)[i], k, row_of(&work->to, i));
    }
    return 0;
}

static int run_add(const struct summand__work *work, size_t unit, size_t first, size_t rows)
{
    (void)unit;
    for (size_t i = first; i < first + rows; i++)
        for (size_t j = 0; j < work->to.shape.count; j++)
            row_of(&work->to, i)[j] = row_of(&work->from, i)[j] + row_of(&work->with, i)[j];
    return 0;
}

static double elements(const struct summand__rectangle *shape)
{
    return (double)shape->rows * (double)shape->count;
}

static struct summand__work_cost effort_of(const struct summand__work *work, size_t unit,
                                           double flops)
{
    double moved = elements(&work->from.shape) + elements(&work->with.shape) +
                   (work->begins ? 1 : 2) * elements(&work->to.shape);
    return (struct summand__work_cost){flops, moved * (double)unit};
}

static struct summand__work_cost effort_product(const struct summand__work *work, size_t unit)
{
    return effort_of(work, unit, 2 * elements(&work->to.shape) * (double)work->from.shape.count);
}

static struct summand__work_cost effort_outer(const struct summand__work *work, size_t unit)
{
    return effort_of(work, unit, 2 * elements(&work->to.shape) * (double)work->from.shape.rows);
}

static struct summand__work_cost effort_add(const struct summand__work *work, size_t unit)
{
    return effort_of(work, unit, elements(&work->to.shape));
}

static struct summand__work_cost effort_pack(const struct summand__work *work, size_t unit)
{
    return effort_of(work, unit, 0);
}

static const struct summand__kernel product = {.name = "product",
                                               .description =
                                                   "result += from * with, doubles, by k in order",
                                               .meaning = SUMMAND__CHAIN,
                                               .from = SUMMAND__ROW,
                                               .with = SUMMAND__COLUMN,
                                               .unit = sizeof(double),
                                               .run = run_product,
                                               .effort = effort_product};

static const struct summand__kernel outer = {
    .name = "outer",
    .description = "result += transposed from * with, doubles, by k in order",
    .meaning = SUMMAND__CHAIN,
    .from = SUMMAND__COLUMN_I,
    .with = SUMMAND__COLUMN,
    .unit = sizeof(double),
    .run = run_outer,
    .effort = effort_outer};

static const struct summand__kernel add = {.name = "add",
                                           .description = "result = from + with, doubles",
                                           .meaning = SUMMAND__MAP,
                                           .from = SUMMAND__ELEMENT,
                                           .with = SUMMAND__ELEMENT,
                                           .unit = sizeof(double),
                                           .run = run_add,
                                           .effort = effort_add};

static const struct summand__kernel pack = {.name = "pack",
                                            .description =
                                                "result = from, in another rectangle, any elements",
                                            .meaning = SUMMAND__PACK,
                                            .run = summand__run_pack,
                                            .effort = effort_pack};

static const struct summand__kernel transpose = {.name = "transpose",
                                                 .description =
                                                     "result = from transposed, any elements",
                                                 .meaning = SUMMAND__TURN,
                                                 .run = summand__run_transpose,
                                                 .effort = effort_pack};

const struct summand__kernel *const summand__kernels[] = {&product, &outer,     &add,
                                                          &pack,    &transpose, NULL};

const struct summand__kernel *summand__kernel_named(const char *name)
{
    for (int i = 0; summand__kernels[i]; i++)
        if (!strcmp(summand__kernels[i]->name, name))
            return summand__kernels[i];
    return NULL;
}
