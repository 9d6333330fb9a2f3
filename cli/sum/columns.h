/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SUMMAND_CLI_SUM_COLUMNS_H
#define SUMMAND_CLI_SUM_COLUMNS_H

#include <stdbool.h>

struct columns_options {
    const char *command;
    bool json;
    bool exact, naive; /* exact sums; a plain loop over the rank's rows and MPI_Reduce */
    bool named;        /* the table has the method's name */
};

/* Prints the sums of the columns of matrices in .npy files. Collective over MPI_COMM_WORLD; returns
 * the exit status. */
int sum_columns(const struct columns_options *options, int files, char **paths);

#endif
