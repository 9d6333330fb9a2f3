/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that knows nothing of Summand: microseconds per MPI_Allreduce of doubles, one line per
 * size. bench/shim.sh runs it with and without the shim.
 *     mpiexec -np 2 bench-calls [CALLS]     at the smallest size (20,000) */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGEST = 1 << 19, ROUNDS = 9 };

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds per call of the slowest rank: the median of a few rounds. */
static double seconds(const double *x, double *y, int count, int calls, MPI_Comm comm)
{
    double round[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        for (int i = 0; i < calls; i++)
            MPI_Allreduce(x, y, count, MPI_DOUBLE, MPI_SUM, comm);
        const double own = (MPI_Wtime() - start) / calls;
        PMPI_Allreduce(&own, &round[r], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    qsort(round, ROUNDS, sizeof *round, compare);
    return round[ROUNDS / 2];
}

int main(int argc, char **argv)
{
    int rank;
    const int most = argc > 1 ? atoi(argv[1]) : 20000;
    double *x = calloc(LARGEST, sizeof *x), *y = calloc(LARGEST, sizeof *y);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!x || !y || most < 1)
        MPI_Abort(MPI_COMM_WORLD, 2);
    const double alone = seconds(x, y, 1, most, MPI_COMM_SELF);
    if (rank == 0)
        printf("one-rank %.4f\n", alone * 1e6);
    for (int count = 1; count <= LARGEST; count *= 8) {
        const int calls = most / (1 + count / 512);
        const double one = seconds(x, y, count, calls ? calls : 1, MPI_COMM_WORLD);
        if (rank == 0)
            printf("%zu %.4f\n", count * sizeof *x, one * 1e6);
    }
    free(x);
    free(y);
    MPI_Finalize();
    return 0;
}
