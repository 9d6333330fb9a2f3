/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of matrices on one rank: every kernel of the table against a triple loop, in both types,
 * for all transposes. Integers are exact, and the ordered kernel matches in every bit. Memory that
 * must not be read is NaN, and nothing outside C is touched. */
#include <math.h>

#include "compute/blas.h"
#include "compute/product.h"
#include "kernel/arch.h"
#include "unit/sanitized.h"
#include "unit/unit.h"

enum { GAP = 3 }; /* rows beside each array */

static const double GUARD = 12345;

struct scene {
    enum summand__product_type type;
    struct summand__product work;
    size_t bytes;
    void *a, *b, *c, *want;
};

static double get(enum summand__product_type type, const void *array, size_t i)
{
    return type == SUMMAND__PRODUCT_F64 ? ((const double *)array)[i] : ((const float *)array)[i];
}

static void put(enum summand__product_type type, void *array, size_t i, double value)
{
    if (type == SUMMAND__PRODUCT_F64)
        ((double *)array)[i] = value;
    else
        ((float *)array)[i] = (float)value;
}

static uint64_t next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* Small integers, whose sums of products are exact in both types; else fractions. */
static double number(uint64_t *seed, bool integers)
{
    return integers ? (double)(next(seed) % 7) - 3 : (double)next(seed) / (1u << 30) - 1;
}

static void *array(struct scene *s, size_t lead, size_t columns, uint64_t *seed, bool integers)
{
    void *block = malloc((lead * columns + 1) * summand__product_size(s->type));
    assert_non_null(block);
    for (size_t i = 0; i < lead * columns; i++)
        put(s->type, block, i, i % lead < lead - GAP ? number(seed, integers) : GUARD);
    return block;
}

static void begin(struct scene *s, uint64_t seed, bool integers)
{
    struct summand__product *w = &s->work;
    size_t a_rows = w->turned_a ? w->inner : w->rows, b_rows = w->turned_b ? w->columns : w->inner;
    w->lda = a_rows + GAP;
    w->ldb = b_rows + GAP;
    w->ldc = w->rows + GAP;
    s->bytes = w->ldc * w->columns * summand__product_size(s->type);
    s->a = array(s, w->lda, w->turned_a ? w->rows : w->inner, &seed, integers);
    s->b = array(s, w->ldb, w->turned_b ? w->inner : w->columns, &seed, integers);
    s->c = array(s, w->ldc, w->columns, &seed, integers);
    s->want = malloc(s->bytes + 1);
    assert_non_null(s->want);
    memcpy(s->want, s->c, s->bytes);
    w->a = s->a;
    w->b = s->b;
    w->c = s->c;
}

static void end(struct scene *s)
{
    free(s->a);
    free(s->b);
    free(s->c);
    free(s->want);
}

static double linked(enum summand__product_type type, double x, double y, double sum)
{
    return type == SUMMAND__PRODUCT_F64 ? fma(x, y, sum)
                                        : (double)fmaf((float)x, (float)y, (float)sum);
}

/* The definition of compute/product.h. */
static void expect(struct scene *s)
{
    const struct summand__product *w = &s->work;
    for (size_t j = 0; j < w->columns; j++)
        for (size_t i = 0; i < w->rows; i++) {
            double sum = 0, before = get(s->type, s->want, i + j * w->ldc);
            for (size_t k = 0; k < w->inner && w->alpha != 0; k++)
                sum = linked(
                    s->type, get(s->type, w->a, w->turned_a ? k + i * w->lda : i + k * w->lda),
                    get(s->type, w->b, w->turned_b ? j + k * w->ldb : k + j * w->ldb), sum);
            if (w->alpha != 1 && w->alpha != 0)
                sum = s->type == SUMMAND__PRODUCT_F64 ? w->alpha * sum
                                                      : (double)((float)w->alpha * (float)sum);
            if (w->beta != 0)
                sum = linked(s->type, w->beta, before, sum);
            put(s->type, s->want, i + j * w->ldc, sum);
        }
}

static void compare(const struct scene *s, const struct summand__product_kernel *kernel, bool exact,
                    const char *what)
{
    const struct summand__product *w = &s->work;
    double bound = exact ? 0
                         : 4 * ((double)w->inner + 4) *
                               (s->type == SUMMAND__PRODUCT_F64 ? 0x1p-53 : 0x1p-24) *
                               ((double)w->inner + 2);
    for (size_t i = 0; i < w->ldc * w->columns; i++) {
        double want = get(s->type, s->want, i), got = get(s->type, s->c, i);
        if (!(fabs(got - want) <= bound) && !(isnan(want) && isnan(got)))
            fail_msg("%s, %s: type %d, %zu x %zu x %zu, transposes %d %d, alpha %g, beta %g: "
                     "element %zu is %.17g, not %.17g",
                     kernel->name, what, s->type, w->rows, w->columns, w->inner, w->turned_a,
                     w->turned_b, w->alpha, w->beta, i, got, want);
    }
}

static const size_t sizes[][3] = {{1, 1, 1},    {5, 3, 7},     {8, 24, 128}, {24, 8, 129},
                                  {33, 17, 40}, {50, 61, 300}, {3, 2, 0},    {257, 9, 65},
                                  {0, 4, 5},    {4, 0, 5},     {1, 200, 3},  {300, 300, 20}};
static const double factors[][2] = {{1, 0}, {1, 1}, {2, 0}, {-1, 1}, {0.5, -2}, {0, 2}, {0, 0}};

/* Runs the kernel of the currently forced instruction set, from the same C. */
static void run_kernel(const struct summand__product_kernel *kernel, struct scene *s,
                       const void *before, bool integers)
{
    memcpy(s->c, before, s->bytes);
    kernel->run(s->type, &s->work);
    compare(s, kernel, integers || kernel->ordered, integers ? "integers" : "fractions");
}

/* All kernels, and the ordered one on all instruction sets. */
static void run_case(struct scene *s, bool integers)
{
    const enum summand__arch best = summand__arch();
    begin(s, s->work.rows * 31 + s->work.inner, integers);
    void *before = malloc(s->bytes + 1);
    assert_non_null(before);
    memcpy(before, s->c, s->bytes);
    expect(s);
    for (int k = 0; summand__product_kernels[k]; k++)
        if (summand__product_kernels[k]->available())
            run_kernel(summand__product_kernels[k], s, before, integers);
    for (int arch = 0; arch < SUMMAND__ARCHS; arch++)
        if (summand__arch_force((enum summand__arch)arch))
            run_kernel(&summand__product_ordered, s, before, integers);
    summand__arch_force(best);
    free(before);
    end(s);
}

/* Under sanitizers, which check addresses and branches, large products have two of the factors,
 * with and without C, and only fractions. */
static bool left_to_the_release(size_t size, size_t factor, int turned)
{
    const size_t work = sizes[size][0] * sizes[size][1] * sizes[size][2];
    return SANITIZED && work > 100000 && (turned & 4 || (factor != 2 && factor != 4));
}

TEST(test_against_triple_loop)
{
    for (int type = 0; type < SUMMAND__PRODUCT_TYPES; type++)
        for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++)
            for (size_t f = 0; f < sizeof factors / sizeof *factors; f++)
                for (int turned = 0; turned < 8; turned++) {
                    struct scene s = {.type = (enum summand__product_type)type,
                                      .work = {.rows = sizes[size][0],
                                               .columns = sizes[size][1],
                                               .inner = sizes[size][2],
                                               .turned_a = turned & 1,
                                               .turned_b = turned & 2,
                                               .alpha = factors[f][0],
                                               .beta = factors[f][1]}};
                    if (!left_to_the_release(size, f, turned))
                        run_case(&s, turned & 4);
                }
}

/* C is not read if beta is 0; A and B are not read if alpha is 0. */
TEST(test_what_is_not_read)
{
    for (int k = 0; summand__product_kernels[k]; k++)
        for (int alpha = 0; alpha < 2 && summand__product_kernels[k]->available(); alpha++) {
            struct scene s = {.work = {.rows = 20,
                                       .columns = 30,
                                       .inner = 150,
                                       .alpha = alpha,
                                       .beta = alpha ? 0 : 2}};
            begin(&s, 1, true);
            expect(&s);
            double *poisoned = alpha ? s.c : s.a;
            size_t lead = alpha ? s.work.ldc : s.work.lda;
            for (size_t i = 0; i < lead * (alpha ? s.work.columns : s.work.inner); i++)
                if (i % lead < lead - GAP)
                    poisoned[i] = NAN;
            summand__product_kernels[k]->run(s.type, &s.work);
            compare(&s, summand__product_kernels[k], true, "what is not read is NaN");
            end(&s);
        }
}

/* Rows and columns in parts: the same bits. */
TEST(test_ordered_in_parts)
{
    for (int turned = 0; turned < 4; turned++) {
        struct scene s = {.work = {.rows = 100,
                                   .columns = 90,
                                   .inner = 333,
                                   .turned_a = turned & 1,
                                   .turned_b = turned & 2,
                                   .alpha = 1.5,
                                   .beta = -0.7}};
        begin(&s, 7, false);
        expect(&s);
        for (size_t i = 0; i < 100; i += 37)
            for (size_t j = 0; j < 90; j += 41) {
                struct summand__product part = s.work;
                part.rows = 100 - i < 37 ? 100 - i : 37;
                part.columns = 90 - j < 41 ? 90 - j : 41;
                part.a = (double *)s.a + (part.turned_a ? i * part.lda : i);
                part.b = (double *)s.b + (part.turned_b ? j : j * part.ldb);
                part.c = (double *)s.c + i + j * part.ldc;
                summand__product_ordered.run(s.type, &part);
            }
        compare(&s, &summand__product_ordered, true, "in parts");
        end(&s);
    }
}

/* The choice: an ordered kernel if order is asked for, and the BLAS's own description. */
TEST(test_choice)
{
    assert_true(summand__product_kernel(true)->ordered);
    const struct summand__blas *blas = summand__blas();
    bool fast = blas && (blas->fast || blas->named);
    assert_ptr_equal(summand__product_kernel(false),
                     fast ? &summand__product_blas : &summand__product_ordered);
    if (blas && !blas->own && blas->threads)
        assert_int_equal(blas->threads(), 1);
    if (blas)
        print_message("BLAS: %s, %s, taken for %s\n", blas->name, blas->path, blas->core);
}
