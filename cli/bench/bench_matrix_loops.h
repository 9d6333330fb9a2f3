/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program does in place of summand_matrix_copy: loops that pack what each rank gets, the
 * MPI's MPI_Alltoallv, and loops that unpack it. */
#ifndef SUMMAND_CLI_BENCH_BENCH_MATRIX_LOOPS_H
#define SUMMAND_CLI_BENCH_BENCH_MATRIX_LOOPS_H

#include <mpi.h>
#include <summand/matrix.h>

#include "matrix/grid.h"

struct matrix_loops {
    struct summand__grid from, to; /* of the same communicator; groups of all of them */
    int transposed;
    const double *source; /* local arrays without gaps between columns */
    double *target;
    MPI_Comm comm;
    int rank, ranks;
    int *counts, *displs; /* two each: of what is sent, of what is received */
    double *packed[2];
    double **next; /* of each rank: where its next element is */
};

/* The plan of it, which does not count as time; false when out of memory. Local. */
int matrix_loops_make(struct matrix_loops *loops);
void matrix_loops_free(struct matrix_loops *loops);

/* Once. Collective; an MPI error code. */
int matrix_loops_run(void *context);

#endif
