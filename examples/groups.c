/* SPDX-License-Identifier: BSD-3-Clause */
/* A product over two groups of ranks: A lies on the first half of the ranks, B on the second half,
 * and C on all of them, each in blocks of its own. The bits of C depend on none of this.
 *     make groups && mpirun -np 3 ./groups
 * Prints on any number of ranks: norm 3.9710884257862746 */
#include <stdio.h>
#include <summand.h>

static double value(MPI_Count row, MPI_Count column, void *context)
{
    return 1.0 / (double)(1 + row + *(const int *)context * column);
}

/* A matrix on a row of ranks, from `first` to `end` - 1. */
static summand_matrix *on_ranks(int first, int end, MPI_Count rows, MPI_Count columns,
                                MPI_Count block)
{
    int group[end - first];
    for (int i = first; i < end; i++)
        group[i - first] = i;
    const summand_matrix_shape shape = {rows, columns, block, block, 1, end - first, group};
    summand_matrix *matrix;
    summand_matrix_create(&shape, MPI_DOUBLE, NULL, 0, MPI_COMM_WORLD, &matrix);
    return matrix;
}

int main(int argc, char **argv)
{
    int rank, ranks, seeds[2] = {1, 2};
    double norm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int half = (ranks + 1) / 2;
    summand_matrix *a = on_ranks(0, half, 200, 150, 32),
                   *b = on_ranks(ranks - half, ranks, 150, 100, 16);
    summand_matrix *c = on_ranks(0, ranks, 200, 100, 24);
    summand_matrix_fill(a, value, &seeds[0]);
    summand_matrix_fill(b, value, &seeds[1]);
    summand_gemm(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, 1, a, b, 0, c, NULL);
    summand_matrix_norm(c, SUMMAND_NORM_FROBENIUS, &norm); /* exact, rounded once */
    if (rank == 0)
        printf("norm %.17g\n", norm);
    summand_matrix_free(&a);
    summand_matrix_free(&b);
    summand_matrix_free(&c);
    MPI_Finalize();
}
