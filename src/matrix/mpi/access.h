/* SPDX-License-Identifier: BSD-3-Clause */
/* Rectangles of a matrix by global index, from and to any rank. */
#pragma once

#include "matrix/mpi/matrix.h"

/* This rank's request: elements at `block`, by columns; none if a count is 0. */
struct summand__request {
    int64_t row, column, rows, columns;
    void *block;
    int64_t lead;
};

/* MPI_SUCCESS, or an MPI error code if the request is wrong. */
int summand__request_check(const struct summand_matrix *matrix,
                           const struct summand__request *asked);

/* Collective: gets or sets the ranks' rectangles; an MPI error code. */
int summand__matrix_access(struct summand_matrix *matrix, const struct summand__request *asked,
                           bool sets, const char *call, int tag);
