/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <summand.h>

int main(int argc, char **argv)
{
    double x[3] = {1e16, 1, -1e16}, sum;
    MPI_Init(&argc, &argv);
    summand_sum(x, &sum, 3, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
    printf("%g\n", sum);
    MPI_Finalize();
    return 0;
}
