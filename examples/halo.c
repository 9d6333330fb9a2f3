/* SPDX-License-Identifier: BSD-3-Clause */
/* A halo exchange by puts: heat on a ring of cells; each rank has one or more.
 *
 * Ids: one counter for what comes from the left and one for what comes from the right. Two buffers
 * for each side, for even and odd steps. No credit is needed: a rank puts into a buffer again at
 * step k + 2, when it has got its neighbour's put of step k + 1. The neighbour sent that after
 * step k, so it has used the buffer.
 *     make halo && mpirun -np 3 ./halo
 * Prints on any number of ranks: cell 5 after 50 steps: 0.090132331278731437 */
#include <stdio.h>
#include <summand.h>

enum { CELLS = 120, STEPS = 50, LEFT = 0, RIGHT = 1 };

int main(int argc, char **argv)
{
    double x[CELLS], old[CELLS], edge[2], (*slot)[2], mine, all;
    summand_segment *segment;
    int rank, ranks, ids;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > CELLS) {
        if (rank == 0)
            fprintf(stderr, "halo: %d ranks; allowed are 1 to %d\n", ranks, CELLS);
        MPI_Finalize();
        return 2;
    }
    const int first = CELLS * rank / ranks, n = CELLS * (rank + 1) / ranks - first;
    const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    summand_segment_create(sizeof(double[2][2]), 2, MPI_COMM_WORLD, NULL, &segment);
    summand_segment_memory(segment, (void **)&slot, NULL, NULL); /* slot[step % 2][side] */
    summand_notify_range(2, &ids, segment);
    for (int i = 0; i < n; i++)
        x[i] = (first + i) * 7 % 10 * 0.02;
    for (int k = 0; k < STEPS; k++) {
        const MPI_Count even = k % 2 * (MPI_Count)sizeof *slot, one = sizeof(double);
        summand_queue_wait(0, SUMMAND_TIMEOUT_FOREVER,
                           segment); /* the puts of the step before have read `edge` */
        edge[LEFT] = x[0];
        edge[RIGHT] = x[n - 1];
        summand_put_notify(&edge[LEFT], one, left, even + RIGHT * one, ids + RIGHT, 1, 0, segment);
        summand_put_notify(&edge[RIGHT], one, right, even + LEFT * one, ids + LEFT, 1, 0, segment);
        for (int i = 0; i < n; i++)
            old[i] = x[i];
        summand_notify_wait(left, ids + LEFT, (uint64_t)k + 1, SUMMAND_TIMEOUT_FOREVER, segment);
        summand_notify_wait(right, ids + RIGHT, (uint64_t)k + 1, SUMMAND_TIMEOUT_FOREVER, segment);
        for (int i = 0; i < n; i++) {
            const double before = i ? old[i - 1] : slot[k % 2][LEFT],
                         after = i + 1 < n ? old[i + 1] : slot[k % 2][RIGHT];
            x[i] = old[i] / 2 + (before + after) / 4;
        }
    }
    mine = first <= 5 && 5 < first + n ? x[5 - first] : 0;
    summand_sum(&mine, &all, 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
    if (rank == 0)
        printf("cell 5 after %d steps: %.17g\n", STEPS, all);
    summand_segment_free(&segment);
    MPI_Finalize();
}
