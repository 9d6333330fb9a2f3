/* SPDX-License-Identifier: BSD-3-Clause */
#include <summand/gemm.h>

#include "cli/algorithms/record.h"
#include "cli/ranks/two_groups.h"

int record_gemm_make(const struct record_gemm *gemm, summand_matrix *matrix[RECORD_MATRICES],
                     summand_plan **plan)
{
    const long long rows[] = {gemm->rows, gemm->inner, gemm->rows};
    const long long columns[] = {gemm->inner, gemm->columns, gemm->columns};
    const summand_gemm_options options = {.algorithm = gemm->algorithm,
                                          .panel = gemm->panel,
                                          .promise = gemm->any_order ? SUMMAND_PROMISE_SAME
                                                                     : SUMMAND_PROMISE_DEFAULT};
    int code = MPI_SUCCESS;
    for (int m = 0; m < RECORD_MATRICES && code == MPI_SUCCESS; m++)
        code = two_groups_matrix(m == 1, rows[m], columns[m], gemm->block, &matrix[m]);
    return code == MPI_SUCCESS
               ? summand_gemm_init(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, 1, matrix[0],
                                   matrix[1], 0, matrix[2], &options, plan)
               : code;
}
