/* np: 1, long: 2 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of local arrays beyond 2^31 bytes and 2^31 operations. On two ranks, A has 2.4 GB and C
 * 2.5 GB, half of which the other rank computes: plain, transposed and in place. On one rank, the
 * same with small arrays. Integers, so sums are exact. */
#include <summand.h>

#include "mpi/harness.h"

enum { ROWS = 3, A_PERIOD = 4, B_PERIOD = 3, COLUMNS = 300 };

static double of_a(MPI_Count row, MPI_Count column, void *context)
{
    (void)context;
    return (double)((row + column) % A_PERIOD) - 1;
}

static double of_b(MPI_Count row, MPI_Count column, void *context)
{
    (void)context;
    return (double)((row + 2 * column) % B_PERIOD);
}

/* One block, on one rank. */
static summand_matrix *matrix_on(int rank, MPI_Count rows, MPI_Count columns, int exposed,
                                 double (*value)(MPI_Count, MPI_Count, void *))
{
    const summand_matrix_shape shape = {rows, columns, rows, columns, 1, 1, &rank};
    summand_matrix *made = NULL;
    int code = summand_matrix_create(&shape, MPI_DOUBLE, NULL, 0, MPI_COMM_WORLD, &made);
    CHECK(code == MPI_SUCCESS && made, "create: %d", code);
    if (made && exposed) {
        int class = code = summand_matrix_expose(made);
        MPI_Error_class(code, &class);
        CHECK(code == MPI_SUCCESS || class == MPI_ERR_UNSUPPORTED_OPERATION, "expose: %d", code);
    }
    if (made && value)
        CHECK(summand_matrix_fill(made, value, NULL) == MPI_SUCCESS, "fill");
    return made;
}

/* The sum over `inner` elements, which repeat periodically. */
static double expected(MPI_Count row, MPI_Count column, MPI_Count inner)
{
    enum { PERIOD = A_PERIOD * B_PERIOD };
    double sum = 0;
    for (MPI_Count k = 0; k < PERIOD && k < inner; k++)
        sum += of_a(row, k, NULL) * of_b(k, column, NULL) *
               (double)((inner - k + PERIOD - 1) / PERIOD);
    return sum;
}

static void check(const summand_matrix *c, MPI_Count inner, const char *what)
{
    void *data;
    MPI_Count lead, rows, columns;
    long wrong = 0;
    const MPI_Count step = 97; /* of many rows */
    summand_matrix_local(c, &data, &lead, &rows, &columns);
    for (MPI_Count j = 0; j < columns; j++)
        for (MPI_Count i = rows > 10 * step ? j % step : 0; i<rows; i += rows> 10 * step ? step : 1)
            wrong += ((double *)data)[j * lead + i] != expected(i, j, inner);
    CHECK(!wrong, "%s: %ld of %lld wrong", what, wrong, (long long)(rows * columns));
}

static void multiply(int turned, MPI_Count rows, MPI_Count inner, MPI_Count columns, int exposed,
                     const char *what)
{
    int last = harness_ranks - 1;
    summand_matrix *a = turned ? matrix_on(0, inner, rows, exposed, of_a)
                               : matrix_on(0, rows, inner, exposed, of_a);
    summand_matrix *b = matrix_on(last, inner, columns, exposed, of_b),
                   *c = matrix_on(0, rows, columns, exposed, NULL);
    int code = summand_gemm(turned ? SUMMAND_TRANSPOSE_YES : SUMMAND_TRANSPOSE_NO,
                            SUMMAND_TRANSPOSE_NO, 1, a, b, 0, c, NULL);
    CHECK(code == MPI_SUCCESS, "%s: %d", what, code);
    check(c, inner, what);
    MPI_Barrier(MPI_COMM_WORLD);
    summand_matrix_free(&a);
    summand_matrix_free(&b);
    summand_matrix_free(&c);
}

TESTS
{
    MPI_Count large = harness_ranks > 1 ? 100000000 : 1000, tall = large / 100 + 50000;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    multiply(0, ROWS, large, 1, 0, "a wide A");
    multiply(1, ROWS, large, 1, 0, "a tall A, transposed");
    multiply(0, tall, 2, COLUMNS, 0, "a tall C");
    multiply(0, tall, 2, COLUMNS, 1, "a tall C in place");
}
