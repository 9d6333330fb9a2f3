/* SPDX-License-Identifier: BSD-3-Clause */
/* The available BLAS (compute/blas.h). Its sizes are ints, so a product that is larger in a
 * dimension is cut there. */
#include <limits.h>

#include "base/extreme.h"
#include "compute/blas.h"
#include "compute/product.h"

/* A multiple of all block sizes of kernels. */
enum { MOST = 1 << 30 };

static bool available(void)
{
    const struct summand__blas *blas = summand__blas();
    return blas && (blas->fast || blas->named);
}

static const char *element(const void *array, size_t lead, bool turned, size_t row, size_t column,
                           size_t unit)
{
    return (const char *)array + (turned ? column + row * lead : row + column * lead) * unit;
}

/* Sizes are within ints. */
static void call(enum summand__product_type type, const struct summand__product *work)
{
    const struct summand__blas *blas = summand__blas();
    const int a = work->turned_a ? SUMMAND__BLAS_TRANSPOSED : SUMMAND__BLAS_PLAIN;
    const int b = work->turned_b ? SUMMAND__BLAS_TRANSPOSED : SUMMAND__BLAS_PLAIN;
    const int m = (int)work->rows, n = (int)work->columns, k = (int)work->inner;
    const int lda = (int)work->lda, ldb = (int)work->ldb, ldc = (int)work->ldc;
    if (type == SUMMAND__PRODUCT_F64)
        blas->dgemm(SUMMAND__BLAS_COLUMN_MAJOR, a, b, m, n, k, work->alpha, work->a, lda, work->b,
                    ldb, work->beta, work->c, ldc);
    else
        blas->sgemm(SUMMAND__BLAS_COLUMN_MAJOR, a, b, m, n, k, (float)work->alpha, work->a, lda,
                    work->b, ldb, (float)work->beta, work->c, ldc);
}

/* Rows and columns from (i, j) on, over the whole inner dimension. */
static void part(enum summand__product_type type, const struct summand__product *work, size_t i,
                 size_t j)
{
    const size_t unit = summand__product_size(type);
    struct summand__product some = *work;
    some.rows = summand__lesser(work->rows - i, MOST);
    some.columns = summand__lesser(work->columns - j, MOST);
    some.alpha = work->continues ? 1 : work->alpha;
    some.beta = work->continues ? 1 : work->beta;
    some.c = (char *)work->c + (i + j * work->ldc) * unit;
    size_t k = 0;
    do {
        some.inner = summand__lesser(work->inner - k, MOST);
        some.a = element(work->a, work->lda, work->turned_a, i, k, unit);
        some.b = element(work->b, work->ldb, work->turned_b, k, j, unit);
        call(type, &some);
        some.beta = 1;
        k += some.inner;
    } while (k < work->inner);
}

static void run(enum summand__product_type type, const struct summand__product *work)
{
    /* OpenBLAS reads A and B even if alpha = 0. Leading dimensions cannot be cut, and those of
     * empty arrays may have any value. */
    if ((work->alpha == 0 && !work->continues) || work->lda > INT_MAX || work->ldb > INT_MAX ||
        work->ldc > INT_MAX || !work->inner) {
        summand__product_ordered.run(type, work);
        return;
    }
    for (size_t j = 0; j < work->columns; j += MOST)
        for (size_t i = 0; i < work->rows; i += MOST)
            part(type, work, i, j);
}

const struct summand__product_kernel summand__product_blas = {
    .name = "blas",
    .description = "the BLAS at hand: the program's own, or one that was found at configure time",
    .available = available,
    .run = run};
