/* SPDX-License-Identifier: BSD-3-Clause */
/* Exposed matrices: rectangles by global index, without calls of their owners. */
#pragma once

#include "matrix/mpi/access.h"

/* Collective: puts the elements into a window; an MPI error code. */
int summand__matrix_expose(struct summand_matrix *matrix, const char *call, int tag);

/* Local: fetches or stores this rank's rectangle; an MPI error code. */
int summand__matrix_reach(struct summand_matrix *matrix, const struct summand__request *asked,
                          bool stores);
