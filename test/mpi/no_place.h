/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_IN_PLACE in calls without such an argument. test_words.c includes this file after it defines
 * WRONG, which checks the words of an error. */
#pragma once

#include <summand.h>

#include "mpi/harness.h"

/* MPI_IN_PLACE is no address in calls without such an argument. */
static void test_no_place(MPI_Comm on)
{
    static double x[4], y[4];
    summand_matrix_shape shape = {2, 2, 1, 1, 1, harness_ranks, NULL};
    summand_outer_matrix g = {.rows = 2, .columns = 2, .a = x, .b = x, .g = MPI_IN_PLACE};
    summand_outer_matrix a = {.rows = 2, .columns = 2, .a = MPI_IN_PLACE, .b = x, .g = y};
    summand_matrix *matrix = NULL, *to = NULL;
    if (harness_ranks > 2)
        return;
    WRONG(MPI_ERR_BUFFER, "data is MPI_IN_PLACE",
          summand_matrix_create(&shape, MPI_DOUBLE, MPI_IN_PLACE, 4, on, &matrix));
    CHECK(!summand_matrix_create(&shape, MPI_DOUBLE, NULL, 0, on, &matrix), "a matrix");
    WRONG(MPI_ERR_BUFFER, "block is MPI_IN_PLACE",
          summand_matrix_get(matrix, 0, 0, 1, 1, MPI_IN_PLACE, 1));
    WRONG(MPI_ERR_BUFFER, "result is MPI_IN_PLACE",
          summand_matrix_norm(matrix, SUMMAND_NORM_FROBENIUS, MPI_IN_PLACE));
    const summand_gemm_options bias = {.row_bias = MPI_IN_PLACE};
    CHECK(!summand_matrix_create(&shape, MPI_DOUBLE, NULL, 0, on, &to), "a matrix");
    WRONG(
        MPI_ERR_BUFFER, "options.row_bias is MPI_IN_PLACE",
        summand_gemm(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, 1, matrix, matrix, 0, to, &bias));
    summand_matrix_free(&to);
    summand_matrix_free(&matrix);
    WRONG(MPI_ERR_BUFFER, "matrices[0].a is MPI_IN_PLACE",
          summand_outer(1, 1, 1, &a, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL, on, NULL));
    WRONG(MPI_ERR_BUFFER, "matrices[0].g is MPI_IN_PLACE",
          summand_outer(1, 1, 1, &g, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL, on, NULL));
}
