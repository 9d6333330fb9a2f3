/* np: 2 5, long: 3 8; over: shm; also: p2p/2 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Products by pairs have the same bits whether the blocks of C are computed along diagonals or row
 * by row: fractions, both types, any grids and blocks. test_gemm.c holds the first against the
 * definition. */
#include "mpi/matrices.h"

enum { PRODUCTS = 16, EXTENT = 30 };

static double fraction(MPI_Count row, MPI_Count column, void *context)
{
    uint64_t seed = (uint64_t)(row * 1009 + column * 31 + *(const int *)context);
    return (double)(harness_random(&seed) >> 12) * 0x1p-51 - 1;
}

static void make(struct held *h, int single, int rows, int columns, int which, MPI_Comm comm)
{
    draw_distribution(h, rows, columns, -1);
    h->single = single;
    int code = make_matrix(h, comm);
    CHECK(code == MPI_SUCCESS, "create: %d", code);
    code = summand_matrix_fill(h->matrix, fraction, &which);
    CHECK(code == MPI_SUCCESS, "fill: %d", code);
}

/* The bytes of this rank's C after a product. */
static unsigned char *product(struct held *a, struct held *b, struct held *c, const char *algorithm,
                              size_t *bytes)
{
    const summand_gemm_options options = {.algorithm = algorithm};
    void *data;
    MPI_Count lead, rows, columns;
    int which = 3;
    summand_matrix_fill(c->matrix, fraction, &which);
    int code = summand_gemm(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, -0.75, a->matrix, b->matrix,
                            0.5, c->matrix, &options);
    CHECK(code == MPI_SUCCESS, "%s: %d", algorithm, code);
    summand_matrix_local(c->matrix, &data, &lead, &rows, &columns);
    *bytes = (size_t)(rows * columns) * c->unit;
    unsigned char *copy = malloc(*bytes + 1);
    for (MPI_Count j = 0; j < columns && rows; j++)
        memcpy(copy + (size_t)(j * rows) * c->unit, (char *)data + (size_t)(j * lead) * c->unit,
               (size_t)rows * c->unit);
    return copy;
}

static void compare(MPI_Comm comm)
{
    struct held a, b, c;
    int rows = 1 + draw(EXTENT), columns = 1 + draw(EXTENT), inner = 1 + draw(EXTENT);
    int single = draw(2);
    size_t bytes, again;
    make(&a, single, rows, inner, 1, comm);
    make(&b, single, inner, columns, 2, comm);
    make(&c, single, rows, columns, 3, comm);
    unsigned char *diagonals = product(&a, &b, &c, "gemm-pairs", &bytes);
    unsigned char *by_rows = product(&a, &b, &c, "gemm-pairs-rows", &again);
    CHECK(bytes == again && !memcmp(diagonals, by_rows, bytes), "%d x %d x %d: other bits", rows,
          inner, columns);
    free(diagonals);
    free(by_rows);
    drop_matrix(&a);
    drop_matrix(&b);
    drop_matrix(&c);
}

TESTS
{
    MPI_Comm comm;
    matrices_seed = harness_seed();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < PRODUCTS; i++)
        compare(comm);
    MPI_Comm_free(&comm);
}
