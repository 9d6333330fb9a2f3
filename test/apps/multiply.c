/* SPDX-License-Identifier: BSD-3-Clause */
/* For the checks by other programs (test/apps/octave.sh):
 *
 *     mpirun -np P multiply A B C OUT m n k TA TB ALPHA BETA BLOCK any|ordered|pairs
 *
 * OUT = ALPHA op(A) op(B) + BETA C, m x n with an inner dimension of k, of files of doubles by
 * columns. A and C lie on the first half of the ranks, B on the others, in blocks of BLOCK; T is N
 * or T. OUT is written as a file of NumPy's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand/gemm.h>

static int ranks;

/* On one row of ranks, where rows are few, or a grid of two rows. */
static summand_matrix *matrix_of(int second, MPI_Count rows, MPI_Count columns, MPI_Count block)
{
    int half = (ranks + 1) / 2, first = second ? ranks / 2 : 0, high = half % 2 ? 1 : 2;
    int group[1024];
    summand_matrix *matrix;
    for (int i = 0; i < half && i < 1024; i++)
        group[i] = first + i;
    const summand_matrix_shape shape = {rows, columns, block, block, high, half / high, group};
    summand_matrix_create(&shape, MPI_DOUBLE, NULL, 0, MPI_COMM_WORLD, &matrix);
    return matrix;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 14 || ranks > 1024) {
        fprintf(stderr,
                "usage: multiply A B C OUT m n k TA TB ALPHA BETA BLOCK any|ordered|pairs\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Count m = atoll(argv[5]), n = atoll(argv[6]), k = atoll(argv[7]), block = atoll(argv[12]);
    int ta = *argv[8] == 'T', tb = *argv[9] == 'T';
    summand_matrix *a = matrix_of(0, ta ? k : m, ta ? m : k, block);
    summand_matrix *b = matrix_of(1, tb ? n : k, tb ? k : n, block + 1);
    summand_matrix *c = matrix_of(0, m, n, block);
    const summand_gemm_options options = {
        .promise = strcmp(argv[13], "ordered") ? SUMMAND_PROMISE_SAME : SUMMAND_PROMISE_DEFAULT,
        .algorithm = strcmp(argv[13], "pairs") ? NULL : "gemm-pairs"};
    summand_matrix_read(a, argv[1], SUMMAND_FORMAT_RAW_COLUMNS);
    summand_matrix_read(b, argv[2], SUMMAND_FORMAT_RAW_COLUMNS);
    summand_matrix_read(c, argv[3], SUMMAND_FORMAT_RAW_COLUMNS);
    summand_gemm(ta ? SUMMAND_TRANSPOSE_YES : SUMMAND_TRANSPOSE_NO,
                 tb ? SUMMAND_TRANSPOSE_YES : SUMMAND_TRANSPOSE_NO, strtod(argv[10], NULL), a, b,
                 strtod(argv[11], NULL), c, &options);
    summand_matrix_write(c, argv[4], SUMMAND_FORMAT_NPY);
    summand_matrix_free(&a);
    summand_matrix_free(&b);
    summand_matrix_free(&c);
    MPI_Finalize();
}
