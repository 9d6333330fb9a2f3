/* SPDX-License-Identifier: BSD-3-Clause */
/* Arithmetic of a block-cyclic matrix over a grid of processes: the process that holds an element,
 * and the element's place there. Local arrays are stored by columns. */
#pragma once

#include <stddef.h>

#include "shape/cyclic.h"

/* Process (p, q) is group[p * columns.parts + q]; each rank at most once. */
struct summand__grid {
    struct summand__cyclic rows, columns;
    const int *group;
};

static inline int summand__grid_processes(const struct summand__grid *grid)
{
    return grid->rows.parts * grid->columns.parts;
}

/* The process of a rank, or -1. Cost: linear in the size of the group. */
int summand__grid_process(const struct summand__grid *grid, int rank);

/* The process that holds element (i, j), and its place there: row `row`, column `column` of the
 * local array. */
int summand__grid_owner(const struct summand__grid *grid, int64_t i, int64_t j);
void summand__grid_local(const struct summand__grid *grid, int64_t i, int64_t j, int64_t *row,
                         int64_t *column);
/* The reverse. */
void summand__grid_global(const struct summand__grid *grid, int process, int64_t row,
                          int64_t column, int64_t *i, int64_t *j);

/* Rows and columns of a process's local array. */
void summand__grid_extent(const struct summand__grid *grid, int process, int64_t *rows,
                          int64_t *columns);

/* Sets the holder data of every process; `holders` has room for all processes. */
void summand__grid_holders(const struct summand__grid *grid, struct summand__holder *holders);

/* The words DTYPE_, CTXT_, M_, N_, MB_, NB_, RSRC_, CSRC_, LLD_ of ScaLAPACK. False if one of them
 * does not fit into an int. */
bool summand__grid_scalapack(const struct summand__grid *grid, int context, int64_t lead,
                             int descriptor[9]);
