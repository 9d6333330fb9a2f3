/* SPDX-License-Identifier: BSD-3-Clause */
#include "matrix/gemm/build.h"

static int run(const struct summand__product_kernel *kernel, enum summand__product_type type,
               bool turned_a, bool turned_b, const struct summand__work *work, bool chain,
               size_t first, size_t rows)
{
    const size_t unit = summand__product_size(type);
    const struct summand__rectangle *b = &work->from.shape;
    const struct summand__product product = {
        .a = work->with.data,
        .b = (const char *)work->from.data + (turned_b ? first : first * b->pitch) * unit,
        .c = (char *)work->to.data + first * work->to.shape.pitch * unit,
        .rows = work->to.shape.count,
        .columns = rows,
        .inner = turned_b ? b->rows : b->count,
        .lda = work->with.shape.pitch,
        .ldb = b->pitch,
        .ldc = work->to.shape.pitch,
        .turned_a = turned_a,
        .turned_b = turned_b,
        .continues = chain && !work->begins,
        .alpha = chain ? 1 : work->alpha,
        .beta = chain || work->begins ? 0 : work->beta};
    kernel->run(type, &product);
    return 0;
}

static double elements(const struct summand__rectangle *shape)
{
    return (double)shape->rows * (double)shape->count;
}

static struct summand__work_cost effort_of(const struct summand__work *work, double inner,
                                           size_t unit)
{
    double results = elements(&work->to.shape);
    double moved = elements(&work->from.shape) + elements(&work->with.shape) +
                   (work->begins ? 1 : 2) * results;
    return (struct summand__work_cost){2 * results * inner, moved * (double)unit};
}

static struct summand__work_cost effort_plain(const struct summand__work *work, size_t unit)
{
    return effort_of(work, (double)work->from.shape.count, unit);
}

static struct summand__work_cost effort_turned(const struct summand__work *work, size_t unit)
{
    return effort_of(work, (double)work->from.shape.rows, unit);
}

/* Each run packs all of op(A); beside so many columns that costs little (docs/results/gemm.md). */
enum { GRAIN = 192 };

/* Kernel, type, transposes of A and B, their letters, and their descriptions for the operands. */
#define TRANSPOSES(X, kernel, type, word, bytes)                                                   \
    X(kernel, type, word, bytes, 0, 0, "nn", SUMMAND__COLUMN, SUMMAND__ROW, effort_plain)          \
    X(kernel, type, word, bytes, 1, 0, "tn", SUMMAND__ROW_J, SUMMAND__ROW, effort_plain)           \
    X(kernel, type, word, bytes, 0, 1, "nt", SUMMAND__COLUMN, SUMMAND__COLUMN_I, effort_turned)    \
    X(kernel, type, word, bytes, 1, 1, "tt", SUMMAND__ROW_J, SUMMAND__COLUMN_I, effort_turned)

#define ALL(X)                                                                                     \
    TRANSPOSES(X, ordered, F64, "f64", 8)                                                          \
    TRANSPOSES(X, ordered, F32, "f32", 4)                                                          \
    TRANSPOSES(X, blas, F64, "f64", 8)                                                             \
    TRANSPOSES(X, blas, F32, "f32", 4)

#define FUNCTIONS(kernel, type, word, bytes, ta, tb, letters, part_a, part_b, cost)                \
    static int chain_##kernel##_##type##_##ta##tb(const struct summand__work *work, size_t unit,   \
                                                  size_t first, size_t rows)                       \
    {                                                                                              \
        (void)unit;                                                                                \
        return run(&summand__product_##kernel, SUMMAND__PRODUCT_##type, ta, tb, work, true, first, \
                   rows);                                                                          \
    }                                                                                              \
    static int update_##kernel##_##type##_##ta##tb(const struct summand__work *work, size_t unit,  \
                                                   size_t first, size_t rows)                      \
    {                                                                                              \
        (void)unit;                                                                                \
        return run(&summand__product_##kernel, SUMMAND__PRODUCT_##type, ta, tb, work, false,       \
                   first, rows);                                                                   \
    }
ALL(FUNCTIONS)

#define ROW(kind, mean, words, kernel, type, word, bytes, ta, tb, letters, part_a, part_b, cost)   \
    {.name = "gemm-" #kernel "-" word "-" letters,                                                 \
     .description = words,                                                                         \
     .meaning = mean,                                                                              \
     .from = part_b,                                                                               \
     .with = part_a,                                                                               \
     .unit = bytes,                                                                                \
     .run = kind##_##kernel##_##type##_##ta##tb,                                                   \
     .effort = cost,                                                                               \
     .grain = GRAIN},
#define CHAIN(...) ROW(chain, SUMMAND__CHAIN, "result += with * from", __VA_ARGS__)
#define UPDATE(...)                                                                                \
    ROW(update, SUMMAND__UPDATE, "result = alpha (with * from) + beta result", __VA_ARGS__)

static const struct summand__kernel chains[] = {ALL(CHAIN)};
static const struct summand__kernel updates_by[] = {ALL(UPDATE)};

const struct summand__kernel *summand__gemm_kernel(bool blas, enum summand__product_type type,
                                                   bool turned_a, bool turned_b, bool updates)
{
    size_t row = ((size_t)blas * SUMMAND__PRODUCT_TYPES + (size_t)type) * 4 + (turned_a ? 1 : 0) +
                 (turned_b ? 2 : 0);
    return updates ? &updates_by[row] : &chains[row];
}
