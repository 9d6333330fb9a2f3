/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SUMMAND_CLI_SUM_COLUMNS_H
#define SUMMAND_CLI_SUM_COLUMNS_H

#include <stdbool.h>

#include "cli/sum/source.h"

enum { AXIS_NONE = SUMMAND__NPY_DIMENSIONS }; /* as an axis: not given */

/* Prints the exact sums along an axis of arrays: from 0, or from -1, the last one, down; AXIS_NONE:
 * of the columns of matrices and tables, along axis 0. Collective over MPI_COMM_WORLD; returns the
 * exit status. */
int sum_columns(const char *command, bool json, const struct source_choice *choice, int axis,
                int files, char **paths);

#endif
