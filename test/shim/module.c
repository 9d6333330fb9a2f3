/* SPDX-License-Identifier: BSD-3-Clause */
/* A module that brings its MPI along, as Python's mpi4py does. */
#include <mpi.h>
#include <stdio.h>

int module_main(void);
int module_main(void)
{
    int rank;
    double one = 1, sum = 0;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%g\n", sum);
    return MPI_Finalize();
}
