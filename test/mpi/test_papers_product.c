/* np: 2 5, long: 8; brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Products by algorithms of papers that the library does not have, of small integers: the same as
 * by gemm-pairs, for any grids and blocks, in each start of a plan. This program has a table of its
 * own (lab/papers). */
#include "algorithm/algorithm.h"
#include "mpi/matrices.h"

enum { PRODUCTS = 12, EXTENT = 30, STARTS = 3 };

static double integer(MPI_Count row, MPI_Count column, void *context)
{
    return (double)((row * 7 + column * 3 + *(const int *)context) % 9) - 4;
}

static void make(struct held *h, int single, int rows, int columns, int which, MPI_Comm comm)
{
    draw_distribution(h, rows, columns, -1);
    h->single = single;
    int code = make_matrix(h, comm);
    CHECK(code == MPI_SUCCESS, "create: %d", code);
    code = summand_matrix_fill(h->matrix, integer, &which);
    CHECK(code == MPI_SUCCESS, "fill: %d", code);
}

/* The bytes of this rank's C after some starts. */
static unsigned char *product(struct held *a, struct held *b, struct held *c, const char *algorithm,
                              size_t *bytes)
{
    const summand_gemm_options options = {.algorithm = algorithm};
    void *data;
    MPI_Count lead, rows, columns;
    int which = 3;
    summand_plan *plan;
    summand_matrix_fill(c->matrix, integer, &which);
    int code = summand_gemm_init(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, -2, a->matrix,
                                 b->matrix, 1, c->matrix, &options, &plan);
    CHECK(code == MPI_SUCCESS, "%s: %d", algorithm, code);
    for (int start = 0; start < STARTS && code == MPI_SUCCESS; start++) {
        code = summand_plan_start(plan);
        code = code == MPI_SUCCESS ? summand_plan_wait(plan) : code;
        CHECK(code == MPI_SUCCESS, "%s, start %d: %d", algorithm, start, code);
    }
    summand_plan_free(&plan);
    summand_matrix_local(c->matrix, &data, &lead, &rows, &columns);
    *bytes = (size_t)(rows * columns) * c->unit;
    unsigned char *copy = malloc(*bytes + 1);
    for (MPI_Count j = 0; j < columns && rows; j++)
        memcpy(copy + (size_t)(j * rows) * c->unit, (char *)data + (size_t)(j * lead) * c->unit,
               (size_t)rows * c->unit);
    return copy;
}

static void compare(const char *algorithm, MPI_Comm comm)
{
    struct held a, b, c;
    int rows = 1 + draw(EXTENT), columns = 1 + draw(EXTENT), inner = 1 + draw(EXTENT);
    int single = draw(2);
    size_t bytes, again;
    make(&a, single, rows, inner, 1, comm);
    make(&b, single, inner, columns, 2, comm);
    make(&c, single, rows, columns, 3, comm);
    unsigned char *expected = product(&a, &b, &c, "gemm-pairs", &bytes);
    unsigned char *got = product(&a, &b, &c, algorithm, &again);
    CHECK(bytes == again && !memcmp(expected, got, bytes), "%s, %d x %d x %d: other results",
          algorithm, rows, inner, columns);
    free(expected);
    free(got);
    drop_matrix(&a);
    drop_matrix(&b);
    drop_matrix(&c);
}

TESTS
{
    matrices_seed = harness_seed();
    for (int i = 0; i < PRODUCTS; i++)
        compare("gemm-barriers", MPI_COMM_WORLD);
}
