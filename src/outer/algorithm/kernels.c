/* SPDX-License-Identifier: BSD-3-Clause */
#include "outer/algorithm/kernels.h"

#include <math.h>

#include "algorithm/estimate.h"
#include "compute/product.h"
#include "kernel/fpenv.h"

/* Larger results bypass the caches, because no cache would still hold them when they are read. */
enum { STREAMED = 8 << 20 };

static size_t room_of(const struct summand__array *array, size_t unit)
{
    return array->shape.rows * array->shape.count * unit;
}

static int run(enum summand__outer_type type, const struct summand__work *work, bool chain,
               size_t first, size_t rows)
{
    size_t unit = summand__outer_result_size(type);
    const struct summand__outer outer = {.a = work->from.data,
                                         .b = work->with.data,
                                         .g = work->to.data,
                                         .pairs = work->from.shape.rows,
                                         .columns = work->to.shape.count,
                                         .lda = work->from.shape.pitch,
                                         .ldb = work->with.shape.pitch,
                                         .ldg = work->to.shape.pitch,
                                         .alpha = chain ? 1 : work->alpha,
                                         .beta = chain || work->begins ? 0 : work->beta,
                                         .continues = chain && !work->begins,
                                         .stream =
                                             work->begins && room_of(&work->to, unit) > STREAMED};
    summand__outer_run_in_order(type, &outer, work->to.shape.rows, first, rows);
    return 0;
}

/* G by rows is its transpose by columns. */
static int run_fast(enum summand__product_type type, const struct summand__work *work, bool chain,
                    size_t first, size_t rows)
{
    const size_t size = summand__product_size(type);
    const struct summand__product product = {.a = work->with.data,
                                             .b = (const char *)work->from.data + first * size,
                                             .c = (char *)work->to.data +
                                                  first * work->to.shape.pitch * size,
                                             .rows = work->to.shape.count,
                                             .columns = rows,
                                             .inner = work->from.shape.rows,
                                             .lda = work->with.shape.pitch,
                                             .ldb = work->from.shape.pitch,
                                             .ldc = work->to.shape.pitch,
                                             .turned_b = true,
                                             .alpha = chain ? 1 : work->alpha,
                                             .beta = work->begins ? 0
                                                     : chain      ? 1
                                                                  : work->beta};
    summand__product_kernel(false)->run(type, &product);
    return 0;
}

static double elements(const struct summand__rectangle *shape)
{
    return (double)shape->rows * (double)shape->count;
}

double summand__outer_moved(double bytes, bool begins)
{
    return begins || bytes <= SUMMAND__CACHED ? bytes : 1.5 * bytes;
}

static struct summand__work_cost effort_of(enum summand__outer_type type,
                                           const struct summand__work *work)
{
    double factors = elements(&work->from.shape) + elements(&work->with.shape);
    double results = elements(&work->to.shape);
    double moved =
        summand__outer_moved(results * (double)summand__outer_result_size(type), work->begins);
    return (struct summand__work_cost){.flops = 2 * results * (double)work->from.shape.rows,
                                       .bytes = factors * (double)summand__outer_factor_size(type) +
                                                moved};
}

/* A NaN of any sign and payload depends on the order of operands; the product's kernels give this
 * one. */
static inline double canonical(double x)
{
    return isnan(x) ? (double)NAN : x;
}

static inline float canonical_float(float x)
{
    return isnan(x) ? NAN : x;
}

static void apply_double(const struct summand__work *work, size_t i)
{
    const double *from = (const double *)work->from.data + i * work->from.shape.pitch;
    double *to = (double *)work->to.data + i * work->to.shape.pitch;
    for (size_t j = 0; j < work->to.shape.count; j++) {
        double chain = work->alpha == 1 ? from[j] : work->alpha * from[j];
        to[j] = canonical(work->begins ? chain : fma(work->beta, to[j], chain));
    }
}

static void apply_float(const struct summand__work *work, size_t i)
{
    const float *from = (const float *)work->from.data + i * work->from.shape.pitch;
    float *to = (float *)work->to.data + i * work->to.shape.pitch;
    float alpha = (float)work->alpha, beta = (float)work->beta;
    for (size_t j = 0; j < work->to.shape.count; j++) {
        float chain = alpha == 1 ? from[j] : alpha * from[j];
        to[j] = canonical_float(work->begins ? chain : fmaf(beta, to[j], chain));
    }
}

static int run_apply(const struct summand__work *work, size_t unit, size_t first, size_t rows)
{
    struct summand__fpenv_plain saved = summand__fpenv_enter();
    for (size_t i = first; i < first + rows; i++)
        if (unit == sizeof(double))
            apply_double(work, i);
        else
            apply_float(work, i);
    summand__fpenv_leave(saved);
    return 0;
}

static struct summand__work_cost effort_apply(const struct summand__work *work, size_t unit)
{
    double results = elements(&work->to.shape);
    return (struct summand__work_cost){2 * results, 3 * results * (double)unit};
}

/* Each run packs all of `with`. Beside so many rows that costs little, whatever the shape. */
enum { GRAIN = 64 };

/* TYPE, its name, bytes of a factor and of a result. */
#define TYPES(X)                                                                                   \
    X(F64, "f64", 8, 8)                                                                            \
    X(F32, "f32", 4, 4)                                                                            \
    X(BF16, "bf16", 2, 4)                                                                          \
    X(F16, "f16", 2, 4)

#define FUNCTIONS(type, name, factor, result)                                                      \
    static int run_chain_##type(const struct summand__work *work, size_t unit, size_t first,       \
                                size_t rows)                                                       \
    {                                                                                              \
        (void)unit;                                                                                \
        return run(SUMMAND__OUTER_##type, work, true, first, rows);                                \
    }                                                                                              \
    static int run_update_##type(const struct summand__work *work, size_t unit, size_t first,      \
                                 size_t rows)                                                      \
    {                                                                                              \
        (void)unit;                                                                                \
        return run(SUMMAND__OUTER_##type, work, false, first, rows);                               \
    }                                                                                              \
    static struct summand__work_cost effort_##type(const struct summand__work *work, size_t unit)  \
    {                                                                                              \
        (void)unit;                                                                                \
        return effort_of(SUMMAND__OUTER_##type, work);                                             \
    }
TYPES(FUNCTIONS)

#define FAST(type, word, factor, other)                                                            \
    static int run_fast_chain_##type(const struct summand__work *work, size_t unit, size_t first,  \
                                     size_t rows)                                                  \
    {                                                                                              \
        (void)unit;                                                                                \
        return run_fast(SUMMAND__PRODUCT_##type, work, true, first, rows);                         \
    }                                                                                              \
    static int run_fast_update_##type(const struct summand__work *work, size_t unit, size_t first, \
                                      size_t rows)                                                 \
    {                                                                                              \
        (void)unit;                                                                                \
        return run_fast(SUMMAND__PRODUCT_##type, work, false, first, rows);                        \
    }
FAST(F64, "f64", 8, 8)
FAST(F32, "f32", 4, 4)

#define CHAIN(type, word, factor, other)                                                           \
    [SUMMAND__OUTER_##                                                                             \
        type] = {.name = "outer-" word,                                                            \
                 .description = "result = fma(from, with, result), by pair in order",              \
                 .meaning = SUMMAND__CHAIN,                                                        \
                 .from = SUMMAND__COLUMN_I,                                                        \
                 .with = SUMMAND__COLUMN,                                                          \
                 .unit = factor,                                                                   \
                 .result = other,                                                                  \
                 .run = run_chain_##type,                                                          \
                 .effort = effort_##type,                                                          \
                 .single = (other) < 8,                                                            \
                 .grain = GRAIN},
#define UPDATE(type, word, factor, other)                                                          \
    [SUMMAND__OUTER_##type] = {.name = "outer-" word,                                              \
                               .description = "result = alpha (from * with, by pair in order) + "  \
                                              "beta result",                                       \
                               .meaning = SUMMAND__UPDATE,                                         \
                               .from = SUMMAND__COLUMN_I,                                          \
                               .with = SUMMAND__COLUMN,                                            \
                               .unit = factor,                                                     \
                               .result = other,                                                    \
                               .run = run_update_##type,                                           \
                               .effort = effort_##type,                                            \
                               .single = (other) < 8,                                              \
                               .grain = GRAIN},
/* A BLAS too packs all of `with` in each run, and more slowly. */
enum { FAST_GRAIN = 512 };
#define FAST_ROW(type, word, factor, other, how, means)                                            \
    [SUMMAND__OUTER_##type] = {.name = "outer-" word "-any",                                       \
                               .description = "as outer-" word ", of any bits",                    \
                               .meaning = means,                                                   \
                               .from = SUMMAND__COLUMN_I,                                          \
                               .with = SUMMAND__COLUMN,                                            \
                               .unit = factor,                                                     \
                               .result = other,                                                    \
                               .run = run_fast_##how##_##type,                                     \
                               .effort = effort_##type,                                            \
                               .single = (other) < 8,                                              \
                               .grain = FAST_GRAIN},
#define APPLY(type, word, factor, other)                                                           \
    [SUMMAND__OUTER_##type] = {.name = "apply-" word,                                              \
                               .description = "result = alpha from + beta result",                 \
                               .meaning = SUMMAND__UPDATE,                                         \
                               .from = SUMMAND__ELEMENT,                                           \
                               .with = SUMMAND__NOTHING,                                           \
                               .unit = other,                                                      \
                               .run = run_apply,                                                   \
                               .effort = effort_apply},

const struct summand__kernel summand__outer_chains[SUMMAND__OUTER_TYPES] = {TYPES(CHAIN)};
const struct summand__kernel summand__outer_updates_by[SUMMAND__OUTER_TYPES] = {TYPES(UPDATE)};
const struct summand__kernel summand__outer_applies[SUMMAND__OUTER_TYPES] = {TYPES(APPLY)};
const struct summand__kernel summand__outer_fast_chains[SUMMAND__OUTER_TYPES] = {FAST_ROW(
    F64, "f64", 8, 8, chain, SUMMAND__CHAIN) FAST_ROW(F32, "f32", 4, 4, chain, SUMMAND__CHAIN)};
const struct summand__kernel summand__outer_fast_updates_by[SUMMAND__OUTER_TYPES] = {FAST_ROW(
    F64, "f64", 8, 8, update, SUMMAND__UPDATE) FAST_ROW(F32, "f32", 4, 4, update, SUMMAND__UPDATE)};
