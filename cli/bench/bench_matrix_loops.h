/* SPDX-License-Identifier: BSD-3-Clause */
/* A program's replacement for summand_matrix_copy: loops that pack each rank's elements, the MPI's
 * MPI_Alltoallv, and loops that unpack. */
#pragma once

#include <mpi.h>
#include <summand/matrix.h>

#include "matrix/grid.h"

struct matrix_loops {
    struct summand__grid from, to; /* on the same communicator; each group is all ranks */
    int transposed;
    const double *source; /* local arrays without gaps between columns */
    double *target;
    MPI_Comm comm;
    int rank, ranks;
    int *counts, *displs; /* two each: sent, received */
    double *packed[2];
    double **next; /* by rank: the place of its next element */
};

/* Makes its plan, which is not timed; false when out of memory. Local. */
int matrix_loops_make(struct matrix_loops *loops);
void matrix_loops_free(struct matrix_loops *loops);

/* Moves once. Collective; returns an MPI error code. */
int matrix_loops_run(void *context);
