/* SPDX-License-Identifier: BSD-3-Clause */
/* The exact sum of all elements of all ranks: make sum && mpirun -np 3 ./sum
 * Prints on 3 ranks: 3 3 3 */
#include <stdio.h>
#include <summand.h>

int main(int argc, char **argv)
{
    double x[3] = {1e16, 1, -1e16}, sum;
    MPI_Init(&argc, &argv);
    summand_sum(x, &sum, 3, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL); /* exact */
    printf("%g\n", sum); /* the number of ranks: a plain loop gives 0 */
    MPI_Finalize();
}
