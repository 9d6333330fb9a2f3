/* SPDX-License-Identifier: BSD-3-Clause */
/* One vector per rank, summed element by element as by MPI_Allreduce, but each element is the exact
 * sum of what the ranks pass in, rounded once. A plan, for calls that repeat.
 *     make vector && mpirun -np 3 ./vector
 * Prints on 3 ranks: 1 0.59999999999999998 */
#include <stdio.h>
#include <summand.h>

int main(int argc, char **argv)
{
    const summand_options exact = {.promise = SUMMAND_PROMISE_EXACT};
    const double large[3] = {1e16, 1, -1e16}, tenths[3] = {0.1, 0.2, 0.3};
    double in[2], out[2];
    summand_plan *plan;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    summand_allreduce_init(in, out, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &exact, &plan);
    for (int step = 0; step < 10; step++) {
        in[0] = large[rank % 3];
        in[1] = tenths[rank % 3];
        summand_plan_start(plan);
        summand_plan_wait(plan);
    }
    summand_plan_free(&plan);
    if (rank == 0)
        printf("%.17g %.17g\n", out[0], out[1]); /* rank by rank: 0 0.60000000000000009 */
    MPI_Finalize();
}
