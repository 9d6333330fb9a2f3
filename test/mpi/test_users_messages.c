/* np: 2 3; together brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank that waits in Summand's calls progresses the user's own messages. Another rank may first
 * wait for a message that the waiting rank has started, and which is too long to be sent without
 * its help. */
#include <stdbool.h>
#include <summand.h>

#include "mpi/harness.h"

enum { LONG = 1 << 20 };

static double out[LONG], in[LONG];

/* The last rank receives from all before it takes part. */
static void check(bool exact, const char *what)
{
    int last = harness_ranks - 1;
    double sum = 0, one = 1;
    MPI_Request request = MPI_REQUEST_NULL;
    for (int i = 0; i < LONG; i++)
        out[i] = harness_rank + i;
    if (harness_rank != last)
        MPI_Isend(out, LONG, MPI_DOUBLE, last, 5, MPI_COMM_WORLD, &request);
    for (int r = 0; harness_rank == last && r < last; r++) {
        MPI_Recv(in, LONG, MPI_DOUBLE, r, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(in[0] == r && in[LONG - 1] == r + LONG - 1.0, "%s: %g from rank %d", what, in[0], r);
    }
    if (!exact)
        summand_allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL);
    else
        summand_sum(&one, &sum, 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
    CHECK(sum == harness_ranks, "%s: %g", what, sum);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

TESTS
{
    double one = 1, sum;
    summand_allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL);
    summand_sum(&one, &sum, 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
    check(false, "all-reduce");
    check(true, "exact sum");
}
