/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/ranks/two_groups.h"

#include <stdlib.h>

static double value(MPI_Count row, MPI_Count column, void *context)
{
    (void)context;
    return (double)((row * 7 + column * 3) % 11) / 8 - 0.5;
}

/* Rows of the grid nearest to a square, with no more rows than columns. */
static int grid_rows(int ranks)
{
    int extents[2] = {0, 0};
    MPI_Dims_create(ranks, 2, extents);
    return extents[1];
}

static MPI_Count part_of(MPI_Count extent, int parts)
{
    return (extent + parts - 1) / parts + !extent;
}

int two_groups_matrix(bool second, MPI_Count rows, MPI_Count columns, MPI_Count block,
                      summand_matrix **made)
{
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int half = ranks / 2 + !(ranks / 2), first = second && ranks > 1 ? half : 0;
    int high = grid_rows(half), wide = half / high;
    int *group = malloc((size_t)half * sizeof *group);
    if (!group)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < half; i++)
        group[i] = first + i;
    const summand_matrix_shape shape = {.rows = rows,
                                        .columns = columns,
                                        .block_rows = block ? block : part_of(rows, high),
                                        .block_columns = block ? block : part_of(columns, wide),
                                        .grid_rows = high,
                                        .grid_columns = wide,
                                        .group = group};
    int code = summand_matrix_create(&shape, MPI_DOUBLE, NULL, 0, MPI_COMM_WORLD, made);
    free(group);
    return code == MPI_SUCCESS ? summand_matrix_fill(*made, value, NULL) : code;
}
