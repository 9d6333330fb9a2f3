/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of gradient descent for y = W x: the gradient is the sum of the outer products of errors
 * and inputs over the samples of all ranks. Ranks exchange the vectors and not the matrix, and each
 * element is a chain over the samples: the weights have the same bits on any number of ranks.
 *     make gradient && mpirun -np 3 ./gradient
 * Prints on any number of ranks: W[2][3] = 0.17, with the bits of one rank */
#include <stdio.h>
#include <string.h>
#include <summand.h>

enum { SAMPLES = 90, IN = 8, OUT = 4, STEPS = 200 };

/* Learns W[o][i] = (o + 5 i) / 100 from samples of which this rank has a part. */
static void descend(float w[OUT][IN], MPI_Comm comm)
{
    float inputs[SAMPLES][IN], errors[SAMPLES][OUT];
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const int first = SAMPLES * rank / ranks, n = SAMPLES * (rank + 1) / ranks - first;
    const summand_outer_matrix layer = {
        .rows = OUT, .columns = IN, .a = errors, .b = inputs, .g = w};
    memset(w, 0, sizeof(float[OUT][IN]));
    for (int k = 0; k < n; k++)
        for (int i = 0; i < IN; i++)
            inputs[k][i] = (float)((first + k) * (2 * i + 3) % 17 - 8) / 8;
    for (int step = 0; step < STEPS; step++) {
        for (int k = 0; k < n; k++)
            for (int o = 0; o < OUT; o++) {
                errors[k][o] = 0;
                for (int i = 0; i < IN; i++)
                    errors[k][o] += (w[o][i] - (float)(o + 5 * i) / 100) * inputs[k][i];
            }
        /* W = -0.01 * sum of errors inputs^T + 1 * W, in the pass that computes the sum */
        summand_outer(n, 1, -0.01, &layer, 1, MPI_FLOAT, SUMMAND_ROOT_ALL, comm, NULL);
    }
}

int main(int argc, char **argv)
{
    static float all[OUT][IN], one[OUT][IN];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    descend(all, MPI_COMM_WORLD);
    descend(one, MPI_COMM_SELF);
    if (rank == 0)
        printf("W[2][3] = %.2f, %s the bits of one rank\n", all[2][3],
               memcmp(all, one, sizeof all) ? "without" : "with");
    MPI_Finalize();
}
