/* SPDX-License-Identifier: BSD-3-Clause */
/* An all-reduce by gossip that survives a bit flip: the same sum is computed twice, the second time
 * with a flip in the memory of rank 0 during the call. The result has the same bits, or the call is
 * an error on all ranks; here it is repaired.
 *     make gossip && mpirun -np 3 ./gossip
 * Prints on 3 ranks: repaired */
#include <stdio.h>
#include <string.h>
#include <summand.h>
#include <summand/gossip_faults.h>

int main(int argc, char **argv)
{
    double x[4], without[4], with[4];
    summand_gossip_report report;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++)
        x[i] = 1.0 / (rank + i + 1);
    summand_gossip_allreduce(x, without, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL, &report);

    /* The highest bit of the input's first value, before round 1. */
    const summand_gossip_fault flip = {
        .rank = 0, .variable = SUMMAND_GOSSIP_INPUT, .bit = 62, .round = 1};
    const summand_gossip_faults faults = {.count = 1, .fault = &flip};
    const summand_gossip_options options = {.faults = &faults};
    summand_gossip_allreduce(x, with, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &options, &report);
    if (rank == 0)
        puts(memcmp(with, without, sizeof with) ? "other bits"
             : report.repairs                   ? "repaired"
                                                : "no repair");
    MPI_Finalize();
}
