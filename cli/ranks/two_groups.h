/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices of a product across two groups: A and C on the first half of the ranks of
 * MPI_COMM_WORLD, B on the other half, each on the grid that is nearest to a square. One rank holds
 * all. */
#pragma once

#include <stdbool.h>
#include <summand/matrix.h>

/* Collective: makes a matrix of doubles with some values. `second`: on the second half; `block`:
 * rows and columns of a block, 0: one block on each rank. Returns an MPI error code. */
int two_groups_matrix(bool second, MPI_Count rows, MPI_Count columns, MPI_Count block,
                      summand_matrix **made);
