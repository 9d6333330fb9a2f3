/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks add numbers that cancel, each its own share, by the carried operator: every rank count
 * gives the one sum. */
#include <mpi.h>
#include <stdio.h>

#include "summand_exact.h"

int main(int argc, char **argv)
{
    enum { N = 60 };
    int rank, ranks;
    MPI_Datatype type;
    MPI_Op op;
    summand_exact sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    summand_exact_init(&sum);
    for (int i = rank; i < N; i += ranks) { /* 1e300 - 1e300 and 60 times 2^-40 */
        const double x[2] = {i % 2 ? 1e300 : -1e300, 0x1p-40};
        summand_exact_add(&sum, 2, x);
    }
    if (summand_exact_type(&type) || summand_exact_op(&op) ||
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, type, op, MPI_COMM_WORLD))
        MPI_Abort(MPI_COMM_WORLD, 1);
    const double result = summand_exact_round(&sum);
    if (result != N * 0x1p-40) {
        printf("rank %d of %d: %a instead of %a\n", rank, ranks, result, N * 0x1p-40);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Type_free(&type);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
