/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices from and to files. */
#pragma once

#include "matrix/mpi/matrix.h"

/* Collective; an MPI error code. */
int summand__matrix_read(struct summand_matrix *matrix, const char *path,
                         enum summand_format format, const char *call, int tag);
int summand__matrix_write(const struct summand_matrix *matrix, const char *path,
                          enum summand_format format, const char *call, int tag);
