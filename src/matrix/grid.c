/* SPDX-License-Identifier: BSD-3-Clause */
#include "matrix/grid.h"

#include <limits.h>

int summand__grid_process(const struct summand__grid *grid, int rank)
{
    for (int i = 0; i < summand__grid_processes(grid); i++)
        if (grid->group[i] == rank)
            return i;
    return -1;
}

int summand__grid_owner(const struct summand__grid *grid, int64_t i, int64_t j)
{
    return summand__cyclic_part(&grid->rows, i) * grid->columns.parts +
           summand__cyclic_part(&grid->columns, j);
}

void summand__grid_local(const struct summand__grid *grid, int64_t i, int64_t j, int64_t *row,
                         int64_t *column)
{
    *row = summand__cyclic_offset(&grid->rows, i);
    *column = summand__cyclic_offset(&grid->columns, j);
}

void summand__grid_global(const struct summand__grid *grid, int process, int64_t row,
                          int64_t column, int64_t *i, int64_t *j)
{
    *i = summand__cyclic_index(&grid->rows, process / grid->columns.parts, row);
    *j = summand__cyclic_index(&grid->columns, process % grid->columns.parts, column);
}

void summand__grid_extent(const struct summand__grid *grid, int process, int64_t *rows,
                          int64_t *columns)
{
    *rows = summand__cyclic_extent(&grid->rows, process / grid->columns.parts);
    *columns = summand__cyclic_extent(&grid->columns, process % grid->columns.parts);
}

void summand__grid_holders(const struct summand__grid *grid, struct summand__holder *holders)
{
    for (int i = 0; i < summand__grid_processes(grid); i++)
        holders[i] = (struct summand__holder){
            .rank = grid->group[i],
            .rows = summand__cyclic_share(&grid->rows, i / grid->columns.parts),
            .columns = summand__cyclic_share(&grid->columns, i % grid->columns.parts)};
}

bool summand__grid_scalapack(const struct summand__grid *grid, int context, int64_t lead,
                             int descriptor[9])
{
    const int64_t words[9] = {1,
                              context,
                              grid->rows.extent,
                              grid->columns.extent,
                              grid->rows.block,
                              grid->columns.block,
                              0,
                              0,
                              lead};
    for (int i = 0; i < 9; i++) {
        if (words[i] > INT_MAX)
            return false;
        descriptor[i] = (int)words[i];
    }
    return true;
}
