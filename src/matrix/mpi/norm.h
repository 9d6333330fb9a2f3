/* SPDX-License-Identifier: BSD-3-Clause */
/* Norms of a matrix. */
#pragma once

#include "matrix/mpi/matrix.h"

/* Collective; an MPI error code. */
int summand__matrix_norm(const struct summand_matrix *matrix, enum summand_norm norm, void *result,
                         const char *call, int tag);
