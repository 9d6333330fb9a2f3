/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

#include "cli/sum/source.h"

enum { AXIS_NONE = SUMMAND__NPY_DIMENSIONS }; /* as an axis: not given */

struct columns_options {
    const char *command;
    const struct source_choice *choice;
    int axis; /* from 0, or from -1, the last one, down; AXIS_NONE: the columns of matrices */
    bool json, plain;
    bool exact, naive; /* exact sums; a plain loop over the rank's own values and MPI_Reduce */
    bool named;        /* the table has the method's name */
};

/* Prints the sums along an axis of arrays; AXIS_NONE: of the columns of matrices and tables, along
 * axis 0. Collective over MPI_COMM_WORLD; returns the exit status. */
int sum_columns(const struct columns_options *options, int files, char **paths);
