/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

#include "cli/common/cli.h"

int cli_rank(void)
{
    int up = 0, down = 0, rank = 0;
    MPI_Initialized(&up);
    MPI_Finalized(&down);
    if (up && !down)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}
