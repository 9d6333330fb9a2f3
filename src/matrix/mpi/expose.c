/* SPDX-License-Identifier: BSD-3-Clause */
/* An exposed matrix lies in a window: one slot, of the largest local array, on every rank of the
 * communicator. */
#include "matrix/mpi/expose.h"

#include <stdlib.h>
#include <string.h>

#include "base/extreme.h"
#include "compute/mpi/window.h"
#include "process/error.h"

static int check(const struct summand_matrix *matrix)
{
    if (matrix->data && !matrix->memory && !matrix->window)
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "matrix has the caller's memory, not the library's");
    if (matrix->users > 1)
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "matrix is in use by %d plans, not by none",
                               matrix->users - 1);
    return MPI_SUCCESS;
}

/* Process (0, 0) has the most. */
static bool largest_part(const struct summand_matrix *matrix, size_t *bytes)
{
    int64_t rows, columns;
    summand__grid_extent(&matrix->grid, 0, &rows, &columns);
    return !__builtin_mul_overflow((uint64_t)rows, (uint64_t)columns, bytes) &&
           !__builtin_mul_overflow(*bytes, matrix->unit, bytes);
}

static void move_in(struct summand_matrix *matrix)
{
    unsigned char *data = matrix->window->slot[0].data;
    if (!matrix->rows || !matrix->columns)
        return;
    memcpy(data, matrix->data, (size_t)(matrix->rows * matrix->columns) * matrix->unit);
    free(matrix->memory);
    matrix->memory = NULL;
    matrix->data = data;
}

int summand__matrix_expose(struct summand_matrix *matrix, const char *call, int tag)
{
    struct summand__state *state = matrix->state;
    struct summand__signature signature;
    struct summand__window_spec spec = {.slots = 1};
    size_t bytes = 0;
    int code = check(matrix);
    if (code == MPI_SUCCESS && !largest_part(matrix, &bytes))
        code = summand_error_code(SUMMAND_ERR_MEMORY);
    spec.slot_bytes = &bytes;
    summand__sign_call(&signature, call);
    summand__matrix_sign_as(&signature, "matrix", matrix);
    code = summand__matrix_agree(state, code, &signature, tag);
    if (code != MPI_SUCCESS || matrix->window)
        return code;
    code = summand__window_open(state, &spec, SUMMAND__PASSIVE_TARGET | SUMMAND__GETS,
                                &matrix->window);
    if (code == MPI_SUCCESS)
        move_in(matrix);
    return summand__matrix_agree(state, code, NULL,
                                 tag); /* all elements have moved into the window */
}

/* Transfers elements from (row, column) on that are contiguous on one process. */
static int transfer(const struct summand_matrix *matrix, const struct summand__request *asked,
                    int64_t row, int64_t column, int64_t count, bool stores)
{
    const struct summand__grid *grid = &matrix->grid;
    struct summand__window *window = matrix->window;
    int process = summand__grid_owner(grid, row, column);
    int64_t at[2], rows, columns;
    summand__grid_local(grid, row, column, &at[0], &at[1]);
    summand__grid_extent(grid, process, &rows, &columns);
    size_t offset = (size_t)(at[1] * rows + at[0]) * matrix->unit;
    char *block =
        (char *)asked->block +
        (size_t)((column - asked->column) * asked->lead + row - asked->row) * matrix->unit;
    struct summand__put put = {.data = block,
                               .bytes = (size_t)count * matrix->unit,
                               .rank = grid->group[process],
                               .offset = (ptrdiff_t)offset,
                               .counter = SUMMAND__NO_COUNTER,
                               .flags = SUMMAND__PUT_NO_WAIT};
    const struct summand__get get = {block, put.bytes, put.rank, 0, offset};
    return stores ? window->transport->put(window, &put) : window->transport->get(window, &get);
}

static int transfer_column(const struct summand_matrix *matrix,
                           const struct summand__request *asked, int64_t column, bool stores)
{
    int64_t block = matrix->grid.rows.block, end = asked->row + asked->rows;
    int code = MPI_SUCCESS;
    for (int64_t row = asked->row, count; row < end && code == MPI_SUCCESS; row += count) {
        count = matrix->grid.rows.parts > 1 ? summand__lesser(block - row % block, end - row)
                                            : end - row;
        code = transfer(matrix, asked, row, column, count, stores);
    }
    return code;
}

/* Blocks of a dimension that a rectangle touches, counting each process once. */
static int64_t blocks_of(const struct summand__cyclic *cyclic, int64_t first, int64_t count)
{
    int64_t blocks = (first + count - 1) / cyclic->block - first / cyclic->block + 1;
    return summand__lesser(blocks, cyclic->parts);
}

/* Completes the accesses: fetched elements have arrived, stored ones are at their target. */
static int complete(const struct summand_matrix *matrix, const struct summand__request *asked,
                    bool stores)
{
    const struct summand__grid *grid = &matrix->grid;
    struct summand__window *window = matrix->window;
    int64_t rows = blocks_of(&grid->rows, asked->row, asked->rows);
    int64_t columns = blocks_of(&grid->columns, asked->column, asked->columns);
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns && code == MPI_SUCCESS; j++) {
            int64_t p = (asked->row / grid->rows.block + i) % grid->rows.parts;
            int64_t q = (asked->column / grid->columns.block + j) % grid->columns.parts;
            int rank = grid->group[p * grid->columns.parts + q];
            bool done;
            code = stores ? window->transport->complete(window, rank)
                          : window->transport->flush(window, rank, true, &done);
        }
    return code;
}

int summand__matrix_reach(struct summand_matrix *matrix, const struct summand__request *asked,
                          bool stores)
{
    if (!matrix->window)
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "matrix is not exposed (summand_matrix_expose)");
    int code = summand__request_check(matrix, asked);
    if (code != MPI_SUCCESS || !asked->rows || !asked->columns)
        return code;
    for (int64_t j = 0; j < asked->columns && code == MPI_SUCCESS; j++)
        code = transfer_column(matrix, asked, asked->column + j, stores);
    return code == MPI_SUCCESS ? complete(matrix, asked, stores) : code;
}
