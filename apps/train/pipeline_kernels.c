/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/pipeline_kernels.h"

#include <string.h>

#include "train/network.h"

static float *row_of(const struct summand__array *array, size_t row)
{
    return (float *)array->data + row * array->shape.pitch;
}

static struct summand__work_cost effort(const struct summand__work *work, size_t unit)
{
    double n = (double)work->to.shape.rows * (double)work->to.shape.count;
    return (struct summand__work_cost){8 * n, 3 * n * (double)unit};
}

/* Rows of a result: for all kinds but gradients a row is a sample. */
static int multiply(int number, enum train_product_kind kind, const struct summand__work *work,
                    size_t first, size_t rows)
{
    const struct summand__array *from = &work->from, *with = &work->with;
    bool gradient = kind == TRAIN_GRADIENT;
    const struct summand__net_product product = {
        .m = rows,
        .n = work->to.shape.count,
        .k = gradient ? from->shape.rows : from->shape.count,
        .transposed_a = gradient,
        .transposed_b = kind == TRAIN_BACK,
        .a = gradient ? (const float *)from->data + first : row_of(from, first),
        .b = with->data,
        .c = row_of(&work->to, first),
        .lda = from->shape.pitch,
        .ldb = with->shape.pitch,
        .ldc = work->to.shape.pitch,
        .alpha = gradient ? (float)work->alpha : 1,
        .beta = gradient && !work->begins ? (float)work->beta : 0};
    summand__net_multiply(summand__net_arithmetics[number], &product);
    return 0;
}

static struct summand__work_cost effort_of_product(const struct summand__work *work, size_t unit)
{
    const struct summand__rectangle *from = &work->from.shape, *to = &work->to.shape;
    double a = (double)from->rows * (double)from->count;
    double b = (double)work->with.shape.rows * (double)work->with.shape.count;
    double c = (double)to->rows * (double)to->count;
    double inner = from->rows == to->rows ? (double)from->count : (double)from->rows;
    return (struct summand__work_cost){2 * c * inner, (double)unit * (a + b + c)};
}

/* Kernels of schedules have no argument of their own: a row for each arithmetic of the table. Each
 * run packs all weights, so it should have many rows. */
enum { GRAIN = 256 };
#define PRODUCT(number, word, kind, as, first_part, second_part)                                   \
    static int run_##word##_##number(const struct summand__work *work, size_t unit, size_t first,  \
                                     size_t rows)                                                  \
    {                                                                                              \
        (void)unit;                                                                                \
        return multiply(number, kind, work, first, rows);                                          \
    }                                                                                              \
    static const struct summand__kernel word##_##number = {.name = "train-" #word,                 \
                                                           .description = #word " of a layer",     \
                                                           .meaning = as,                          \
                                                           .from = first_part,                     \
                                                           .with = second_part,                    \
                                                           .unit = sizeof(float),                  \
                                                           .run = run_##word##_##number,           \
                                                           .effort = effort_of_product,            \
                                                           .grain = GRAIN};
#define PRODUCTS(number)                                                                           \
    PRODUCT(number, sums, TRAIN_FORWARD, SUMMAND__CHAIN, SUMMAND__ROW, SUMMAND__COLUMN)            \
    PRODUCT(number, errors, TRAIN_BACK, SUMMAND__CHAIN, SUMMAND__ROW, SUMMAND__ROW_J)              \
    PRODUCT(number, gradient, TRAIN_GRADIENT, SUMMAND__UPDATE, SUMMAND__COLUMN_I, SUMMAND__COLUMN)
PRODUCTS(0)
PRODUCTS(1)

static const struct summand__kernel *const products[][TRAIN_PRODUCTS] = {
    {&sums_0, &errors_0, &gradient_0}, {&sums_1, &errors_1, &gradient_1}};

const struct summand__kernel *train_kernel_product(const struct summand__net_arithmetic *arithmetic,
                                                   enum train_product_kind kind)
{
    size_t number = 0;
    while (summand__net_arithmetics[number] != arithmetic)
        number++;
    return products[number][kind];
}

static int run_take(const struct summand__work *work, size_t unit, size_t first, size_t rows)
{
    (void)unit;
    for (size_t i = first; i < first + rows; i++) {
        const unsigned char *from =
            (const unsigned char *)work->from.data + i * work->from.shape.pitch;
        float *to = row_of(&work->to, i);
        for (size_t j = 0; j < work->to.shape.count; j++)
            to[j] = (float)from[j] * (1.0f / 255);
    }
    return 0;
}

const struct summand__kernel train_kernel_take = {.name = "train-take",
                                                  .description = "floats from 0 to 1 of bytes",
                                                  .meaning = SUMMAND__MAP,
                                                  .from = SUMMAND__ELEMENT,
                                                  .with = SUMMAND__NOTHING,
                                                  .unit = 1,
                                                  .result = sizeof(float),
                                                  .run = run_take,
                                                  .effort = effort};

static int run_off(const struct summand__work *work, size_t unit, size_t first, size_t rows)
{
    (void)unit;
    for (size_t i = first; i < first + rows; i++)
        for (size_t j = 0; j < work->to.shape.count; j++)
            row_of(&work->to, i)[j] = row_of(&work->from, i)[j] - row_of(&work->with, i)[j];
    return 0;
}

const struct summand__kernel train_kernel_off = {.name = "train-off",
                                                 .description = "outputs less targets",
                                                 .meaning = SUMMAND__MAP,
                                                 .from = SUMMAND__ELEMENT,
                                                 .with = SUMMAND__ELEMENT,
                                                 .unit = sizeof(float),
                                                 .run = run_off,
                                                 .effort = effort};

/* Kernels of an element each, by a function of rows. */
#define ELEMENTS(word, text, as, function)                                                         \
    static int run_##word(const struct summand__work *work, size_t unit, size_t first,             \
                          size_t rows)                                                             \
    {                                                                                              \
        (void)unit;                                                                                \
        for (size_t i = first; i < first + rows; i++)                                              \
            function(work->to.shape.count, (float)work->alpha, row_of(&work->from, i),             \
                     row_of(&work->to, i));                                                        \
        return 0;                                                                                  \
    }                                                                                              \
    const struct summand__kernel train_kernel_##word = {.name = "train-" #word,                    \
                                                        .description = text,                       \
                                                        .meaning = as,                             \
                                                        .from = SUMMAND__ELEMENT,                  \
                                                        .with = SUMMAND__NOTHING,                  \
                                                        .unit = sizeof(float),                     \
                                                        .run = run_##word,                         \
                                                        .effort = effort};
ELEMENTS(decay, "weights by what decay leaves of them", SUMMAND__MAP, train_decay)
ELEMENTS(pull, "the part of decay in a velocity", SUMMAND__UPDATE, train_pull)
ELEMENTS(step, "a step of weights along a velocity", SUMMAND__UPDATE, train_step)

/* Rows of an activation: of its values, or of its derivative times the errors. */
static int apply(const struct summand__net_activation *activation, const struct summand__work *work,
                 size_t first, size_t rows)
{
    for (size_t i = first; i < first + rows; i++) {
        memcpy(row_of(&work->to, i), row_of(&work->from, i), work->to.shape.count * sizeof(float));
        activation->apply(work->to.shape.count, row_of(&work->to, i));
    }
    return 0;
}

static int derive(const struct summand__net_activation *activation,
                  const struct summand__work *work, size_t first, size_t rows)
{
    for (size_t i = first; i < first + rows; i++) {
        memcpy(row_of(&work->to, i), row_of(&work->with, i), work->to.shape.count * sizeof(float));
        activation->derive(work->to.shape.count, row_of(&work->from, i), row_of(&work->to, i));
    }
    return 0;
}

/* Kernels have no argument of their own: a pair for each row of the table of activations. */
#define PAIR(number, word)                                                                         \
    static int run_apply_##number(const struct summand__work *work, size_t unit, size_t first,     \
                                  size_t rows)                                                     \
    {                                                                                              \
        (void)unit;                                                                                \
        return apply(summand__net_activations[number], work, first, rows);                         \
    }                                                                                              \
    static int run_derive_##number(const struct summand__work *work, size_t unit, size_t first,    \
                                   size_t rows)                                                    \
    {                                                                                              \
        (void)unit;                                                                                \
        return derive(summand__net_activations[number], work, first, rows);                        \
    }
#define ACTIVATIONS(X) X(0, "sigmoid") X(1, "tanh") X(2, "relu") X(3, "linear")
ACTIVATIONS(PAIR)

#define APPLY(number, word)                                                                        \
    {.name = "train-" word,                                                                        \
     .description = "outputs of a layer from its sums",                                            \
     .meaning = SUMMAND__MAP,                                                                      \
     .from = SUMMAND__ELEMENT,                                                                     \
     .with = SUMMAND__NOTHING,                                                                     \
     .unit = sizeof(float),                                                                        \
     .run = run_apply_##number,                                                                    \
     .effort = effort},
#define DERIVE(number, word)                                                                       \
    {.name = "train-derive-" word,                                                                 \
     .description = "errors of a layer from its outputs and the errors at them",                   \
     .meaning = SUMMAND__MAP,                                                                      \
     .from = SUMMAND__ELEMENT,                                                                     \
     .with = SUMMAND__ELEMENT,                                                                     \
     .unit = sizeof(float),                                                                        \
     .run = run_derive_##number,                                                                   \
     .effort = effort},
static const struct summand__kernel applies[] = {ACTIVATIONS(APPLY)};
static const struct summand__kernel derives[] = {ACTIVATIONS(DERIVE)};

static size_t number_of(const struct summand__net_activation *activation)
{
    size_t i = 0;
    while (summand__net_activations[i] != activation)
        i++;
    return i;
}

const struct summand__kernel *train_kernel_apply(const struct summand__net_activation *activation)
{
    return &applies[number_of(activation)];
}

const struct summand__kernel *train_kernel_derive(const struct summand__net_activation *activation)
{
    return &derives[number_of(activation)];
}

static int outputs(const struct summand__net_loss *loss, const struct summand__work *work,
                   size_t first, size_t rows)
{
    for (size_t i = first; i < first + rows; i++) {
        memcpy(row_of(&work->to, i), row_of(&work->from, i), work->to.shape.count * sizeof(float));
        loss->outputs(work->to.shape.count, row_of(&work->to, i));
    }
    return 0;
}

static int score(const struct summand__net_loss *loss, const struct summand__work *work,
                 size_t first, size_t rows)
{
    for (size_t i = first; i < first + rows; i++) {
        const float *x = row_of(&work->from, i), *target = row_of(&work->with, i);
        size_t n = work->from.shape.count;
        row_of(&work->to, i)[0] = loss->value(n, x, target);
        row_of(&work->to, i)[1] =
            (float)(summand__net_greatest(n, x) == summand__net_greatest(n, target));
    }
    return 0;
}

#define OF_LOSS(number)                                                                            \
    static int run_outputs_##number(const struct summand__work *work, size_t unit, size_t first,   \
                                    size_t rows)                                                   \
    {                                                                                              \
        (void)unit;                                                                                \
        return outputs(summand__net_losses[number], work, first, rows);                            \
    }                                                                                              \
    static int run_score_##number(const struct summand__work *work, size_t unit, size_t first,     \
                                  size_t rows)                                                     \
    {                                                                                              \
        (void)unit;                                                                                \
        return score(summand__net_losses[number], work, first, rows);                              \
    }
OF_LOSS(0)
OF_LOSS(1)

/* Rows as a whole: declared as chains over them, whose order does not matter. */
#define ROWS(word, function, second)                                                               \
    {                                                                                              \
        .name = "train-" word, .description = word " of a sample", .meaning = SUMMAND__CHAIN,      \
        .from = SUMMAND__ROW, .with = second, .unit = sizeof(float), .run = function,              \
        .effort = effort                                                                           \
    }
static const struct summand__kernel outputs_of[] = {
    ROWS("outputs", run_outputs_0, SUMMAND__NOTHING),
    ROWS("outputs", run_outputs_1, SUMMAND__NOTHING)};
static const struct summand__kernel scores_of[] = {ROWS("score", run_score_0, SUMMAND__ROW),
                                                   ROWS("score", run_score_1, SUMMAND__ROW)};

const struct summand__kernel *train_kernel_outputs(const struct summand__net_loss *loss,
                                                   const struct summand__net_activation *last)
{
    return loss->outputs ? &outputs_of[loss == summand__net_losses[1]] : train_kernel_apply(last);
}

const struct summand__kernel *train_kernel_score(const struct summand__net_loss *loss)
{
    return &scores_of[loss == summand__net_losses[1]];
}
