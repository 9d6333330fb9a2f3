/* SPDX-License-Identifier: BSD-3-Clause */
/* A conservative remapping: 1000 source cells on a circle give their fluxes to 300 target cells, by
 * overlap. Ranks have source cells in turn, and each column sum, of a target cell, is exact. So it
 * does not depend on which rank has which cell; a vector that each rank sums by itself does.
 *     make remap && mpirun -np 3 ./remap
 * Prints on any number of ranks: cell 7: 0.0033566666666666667, all: 1 */
#include <stdio.h>
#include <summand.h>

enum { SOURCES = 1000, TARGETS = 300 };

int main(int argc, char **argv)
{
    double target[TARGETS], all;
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    summand_exact_vector *sums = summand_exact_vector_new(TARGETS);
    for (int i = rank; i < SOURCES; i += ranks) {
        const double flux = (1 + (i * 37 % 100 - 49.5) / 1000) / SOURCES;
        /* The cell from i / SOURCES to (i + 1) / SOURCES; both grids in units of 1 / (SOURCES
         * TARGETS). */
        for (int at = i * TARGETS, end = at + TARGETS; at < end;) {
            const size_t cell = (size_t)(at / SOURCES);
            const int next = (int)(cell + 1) * SOURCES < end ? (int)(cell + 1) * SOURCES : end;
            const double term = flux * (next - at) / TARGETS;
            summand_exact_vector_add_at(sums, 1, &cell, &term);
            at = next;
        }
    }
    summand_exact_vector_reduce(sums, target, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
    summand_sum(target, &all, rank == 0 ? TARGETS : 0, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD,
                NULL);
    if (rank == 0)
        printf("cell 7: %.17g, all: %.17g\n", target[7], all);
    summand_exact_vector_free(&sums);
    MPI_Finalize();
}
