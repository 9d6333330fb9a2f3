/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SUMMAND_CLI_SUM_COLUMNS_H
#define SUMMAND_CLI_SUM_COLUMNS_H

#include <stdbool.h>

/* Prints the exact sums of the columns of matrices in .npy files. Collective over MPI_COMM_WORLD;
 * returns the exit status. */
int sum_columns(const char *command, bool json, int files, char **paths);

#endif
