/* SPDX-License-Identifier: BSD-3-Clause */
/* summand_matrix_*: check arguments, require one communicator, and make and run plans. */
#include <summand/matrix.h>

#include "kernel/fpenv_call.h"
#include "matrix/mpi/access.h"
#include "matrix/mpi/copy.h"
#include "matrix/mpi/expose.h"
#include "matrix/mpi/file.h"
#include "matrix/mpi/gemm.h"
#include "matrix/mpi/norm.h"
#include "process/error.h"

/* A NULL matrix has no communicator, so the error is raised on MPI_COMM_SELF. */
static int refuse(const char *call, const char *names)
{
    int code = summand__mpi_runs() ? summand__refuse(SUMMAND_ERR_ARGUMENT, "%s NULL", names)
                                   : SUMMAND__NO_MPI;
    return summand__raise(call, MPI_COMM_NULL, code);
}

static int refuse_matrix(const char *call)
{
    return refuse(call, "matrix is");
}

/* Ends a local call. */
static int conclude(const char *call, const summand_matrix *matrix, int code)
{
    return summand__state_raise(call, matrix->state, code);
}

int summand_matrix_extent(const summand_matrix_shape *shape, int rank, MPI_Count *rows,
                          MPI_Count *columns)
{
    SUMMAND__IN_DEFAULT_FPENV;
    int64_t extent[2] = {0, 0};
    int code = summand__matrix_shape_check(shape, 0);
    if (code == MPI_SUCCESS && (!rows || !columns))
        code = summand__refuse(SUMMAND_ERR_ARGUMENT, "%s is NULL", rows ? "columns" : "rows");
    if (code != MPI_SUCCESS)
        return summand__keep_words(code);
    struct summand__grid grid = {{shape->rows, shape->block_rows, shape->grid_rows},
                                 {shape->columns, shape->block_columns, shape->grid_columns},
                                 shape->group};
    int process = shape->group ? summand__grid_process(&grid, rank)
                  : rank >= 0 && rank < summand__grid_processes(&grid) ? rank
                                                                       : -1;
    if (process >= 0)
        summand__grid_extent(&grid, process, &extent[0], &extent[1]);
    *rows = extent[0];
    *columns = extent[1];
    return MPI_SUCCESS;
}

int summand_matrix_create(const summand_matrix_shape *shape, MPI_Datatype datatype, void *data,
                          MPI_Count lead, MPI_Comm comm, summand_matrix **matrix)
{
    SUMMAND__IN_DEFAULT_FPENV;
    static const char call[] = "summand_matrix_create";
    struct summand__state *state;
    struct summand__signature signature = {.count = 0};
    summand_matrix *made = NULL;
    int tag, code = summand__state_of(comm, &state);
    if (matrix)
        *matrix = NULL;
    if (code == MPI_SUCCESS)
        code = summand__matrix_enter(state, SUMMAND__ENTERED_MATRIX_CREATE, &tag);
    if (code != MPI_SUCCESS)
        return summand__raise(call, comm, code);
    code = matrix ? summand__matrix_make(state, shape, datatype, data, lead, &made)
                  : summand__refuse(SUMMAND_ERR_ARGUMENT, "matrix is NULL, not a place for one");
    if (code == MPI_SUCCESS)
        summand__matrix_sign(&signature, shape, datatype);
    code = summand__matrix_agree(state, code, &signature, tag);
    if (code != MPI_SUCCESS)
        summand__matrix_release(made);
    else
        *matrix = made;
    return summand__raise(call, comm, code);
}

int summand_matrix_free(summand_matrix **matrix)
{
    SUMMAND__IN_DEFAULT_FPENV;
    if (!matrix || !*matrix)
        return MPI_SUCCESS;
    summand__gemm_forget(*matrix);
    summand__matrix_release(*matrix);
    *matrix = NULL;
    return MPI_SUCCESS;
}

int summand_matrix_local(const summand_matrix *matrix, void **data, MPI_Count *lead,
                         MPI_Count *rows, MPI_Count *columns)
{
    SUMMAND__IN_DEFAULT_FPENV;
    if (!matrix)
        return refuse_matrix("summand_matrix_local");
    if (data)
        *data = matrix->rows && matrix->columns ? matrix->data : NULL;
    if (lead)
        *lead = matrix->lead;
    if (rows)
        *rows = matrix->rows;
    if (columns)
        *columns = matrix->columns;
    return MPI_SUCCESS;
}

int summand_matrix_owner(const summand_matrix *matrix, MPI_Count row, MPI_Count column, int *rank,
                         MPI_Count *local_row, MPI_Count *local_column)
{
    SUMMAND__IN_DEFAULT_FPENV;
    static const char call[] = "summand_matrix_owner";
    int64_t local[2];
    if (!matrix)
        return refuse_matrix(call);
    const struct summand__grid *grid = &matrix->grid;
    if (row < 0 || row >= grid->rows.extent || column < 0 || column >= grid->columns.extent)
        return conclude(call, matrix,
                        summand__refuse(SUMMAND_ERR_ARGUMENT,
                                        "(row, column) is (%lld, %lld); matrix is %lld x %lld",
                                        (long long)row, (long long)column,
                                        (long long)grid->rows.extent,
                                        (long long)grid->columns.extent));
    summand__grid_local(grid, row, column, &local[0], &local[1]);
    if (rank)
        *rank = grid->group[summand__grid_owner(grid, row, column)];
    if (local_row)
        *local_row = local[0];
    if (local_column)
        *local_column = local[1];
    return MPI_SUCCESS;
}

int summand_matrix_index(const summand_matrix *matrix, MPI_Count local_row, MPI_Count local_column,
                         MPI_Count *row, MPI_Count *column)
{
    SUMMAND__IN_DEFAULT_FPENV;
    static const char call[] = "summand_matrix_index";
    int64_t global[2];
    if (!matrix)
        return refuse_matrix(call);
    if (local_row < 0 || local_row >= matrix->rows || local_column < 0 ||
        local_column >= matrix->columns)
        return conclude(
            call, matrix,
            summand__refuse(SUMMAND_ERR_ARGUMENT,
                            "(local_row, local_column) is (%lld, %lld); the local array "
                            "is %lld x %lld",
                            (long long)local_row, (long long)local_column, (long long)matrix->rows,
                            (long long)matrix->columns));
    if (!row || !column)
        return conclude(
            call, matrix,
            summand__refuse(SUMMAND_ERR_ARGUMENT, "%s is NULL", row ? "column" : "row"));
    summand__grid_global(&matrix->grid, matrix->process, local_row, local_column, &global[0],
                         &global[1]);
    *row = global[0];
    *column = global[1];
    return MPI_SUCCESS;
}

int summand_matrix_fill(summand_matrix *matrix,
                        double (*value)(MPI_Count row, MPI_Count column, void *context),
                        void *context)
{
    SUMMAND__IN_DEFAULT_FPENV;
    static const char call[] = "summand_matrix_fill";
    if (!matrix)
        return refuse_matrix(call);
    if (!value)
        return conclude(call, matrix, summand__refuse(SUMMAND_ERR_ARGUMENT, "value is NULL"));
    for (int64_t j = 0; matrix->rows && j < matrix->columns; j++)
        for (int64_t i = 0; i < matrix->rows; i++) {
            int64_t row, column;
            void *column_data = summand__matrix_column(matrix, j);
            summand__grid_global(&matrix->grid, matrix->process, i, j, &row, &column);
            struct summand__fpenv *lent = summand__fpenv_lend();
            double element = value(row, column, context);
            summand__fpenv_take_back(lent);
            SUMMAND__SETTLE(element);
            if (matrix->unit == sizeof(float))
                ((float *)column_data)[i] = (float)element;
            else
                ((double *)column_data)[i] = element;
        }
    return MPI_SUCCESS;
}

static int access_rectangle(const char *call, unsigned entered, summand_matrix *matrix,
                            const struct summand__request *asked, bool sets)
{
    int tag;
    if (!matrix)
        return refuse_matrix(call);
    int code = summand__matrix_enter(matrix->state, entered, &tag);
    if (code == MPI_SUCCESS)
        code = summand__matrix_access(matrix, asked, sets, call, tag);
    return summand__state_raise(call, matrix->state, code);
}

int summand_matrix_get(const summand_matrix *matrix, MPI_Count row, MPI_Count column,
                       MPI_Count rows, MPI_Count columns, void *block, MPI_Count lead)
{
    SUMMAND__IN_DEFAULT_FPENV;
    const struct summand__request asked = {row, column, rows, columns, block, lead};
    return access_rectangle("summand_matrix_get", SUMMAND__ENTERED_MATRIX_GET,
                            (summand_matrix *)matrix, &asked, false); /* only read */
}

int summand_matrix_set(summand_matrix *matrix, MPI_Count row, MPI_Count column, MPI_Count rows,
                       MPI_Count columns, const void *block, MPI_Count lead)
{
    SUMMAND__IN_DEFAULT_FPENV;
    const struct summand__request asked = {row,     column,        rows,
                                           columns, (void *)block, lead}; /* only read */
    return access_rectangle("summand_matrix_set", SUMMAND__ENTERED_MATRIX_SET, matrix, &asked,
                            true);
}

int summand_matrix_expose(summand_matrix *matrix)
{
    SUMMAND__IN_DEFAULT_FPENV;
    static const char call[] = "summand_matrix_expose";
    int tag;
    if (!matrix)
        return refuse_matrix(call);
    int code = summand__matrix_enter(matrix->state, SUMMAND__ENTERED_MATRIX_EXPOSE, &tag);
    summand__gemm_forget(matrix); /* the elements move */
    if (code == MPI_SUCCESS)
        code = summand__matrix_expose(matrix, call, tag);
    return summand__state_raise(call, matrix->state, code);
}

static int reach_rectangle(const char *call, summand_matrix *matrix,
                           const struct summand__request *asked, bool stores)
{
    if (!matrix)
        return refuse_matrix(call);
    int code = matrix->state->over ? MPI_ERR_COMM : summand__matrix_reach(matrix, asked, stores);
    return summand__state_raise(call, matrix->state, code);
}

int summand_matrix_fetch(const summand_matrix *matrix, MPI_Count row, MPI_Count column,
                         MPI_Count rows, MPI_Count columns, void *block, MPI_Count lead)
{
    SUMMAND__IN_DEFAULT_FPENV;
    const struct summand__request asked = {row, column, rows, columns, block, lead};
    return reach_rectangle("summand_matrix_fetch", (summand_matrix *)matrix, &asked,
                           false); /* only read */
}

int summand_matrix_store(summand_matrix *matrix, MPI_Count row, MPI_Count column, MPI_Count rows,
                         MPI_Count columns, const void *block, MPI_Count lead)
{
    SUMMAND__IN_DEFAULT_FPENV;
    const struct summand__request asked = {row,     column,        rows,
                                           columns, (void *)block, lead}; /* only read */
    return reach_rectangle("summand_matrix_store", matrix, &asked, true);
}

static const char both[] = "from and to are";

struct copy {
    const summand_matrix *from;
    summand_matrix *to;
    bool transposed;
};

static int check_copy(struct summand__plan_call *call)
{
    const struct copy *asked = call->asked;
    return summand__matrix_copy_check(asked->from, asked->to, asked->transposed);
}

static int make_copy(struct summand__plan_call *call, int code, summand_plan **plan)
{
    const struct copy *asked = call->asked;
    return summand__matrix_copy_plan(asked->from, asked->to, asked->transposed, call->name, code,
                                     call->tag, plan);
}

static const struct summand__call_kind copies = {
    .together = true, .check = check_copy, .make = make_copy};

/* `plan` is for a call that makes one. */
static int copy(const summand_matrix *from, summand_matrix *to, bool transposed, bool init,
                summand_plan **plan)
{
    static const char *const names[2][2] = {
        {"summand_matrix_copy", "summand_matrix_copy_init"},
        {"summand_matrix_transpose", "summand_matrix_transpose_init"}};
    struct copy asked = {from, to, transposed};
    struct summand__plan_call call = {.kind = &copies,
                                      .name = names[transposed][init],
                                      .entered = transposed ? SUMMAND__ENTERED_MATRIX_TRANSPOSE
                                                            : SUMMAND__ENTERED_MATRIX_COPY,
                                      .asked = &asked};
    if (plan)
        *plan = NULL;
    if (!from && !to)
        return refuse(call.name, both);
    call.state = from ? from->state : to->state;
    int code = !summand__matrix_usable(call.state) ? MPI_ERR_COMM
               : init                              ? summand__call_init_on(&call, plan)
                                                   : summand__call_on(&call);
    return summand__state_raise(call.name, call.state, code);
}

int summand_matrix_copy(const summand_matrix *from, summand_matrix *to)
{
    SUMMAND__IN_DEFAULT_FPENV;
    return copy(from, to, false, false, NULL);
}

int summand_matrix_transpose(const summand_matrix *from, summand_matrix *to)
{
    SUMMAND__IN_DEFAULT_FPENV;
    return copy(from, to, true, false, NULL);
}

int summand_matrix_copy_init(const summand_matrix *from, summand_matrix *to, summand_plan **plan)
{
    SUMMAND__IN_DEFAULT_FPENV;
    return copy(from, to, false, true, plan);
}

int summand_matrix_transpose_init(const summand_matrix *from, summand_matrix *to,
                                  summand_plan **plan)
{
    SUMMAND__IN_DEFAULT_FPENV;
    return copy(from, to, true, true, plan);
}

int summand_matrix_norm(const summand_matrix *matrix, enum summand_norm norm, void *result)
{
    SUMMAND__IN_DEFAULT_FPENV;
    static const char call[] = "summand_matrix_norm";
    int tag;
    if (!matrix)
        return refuse_matrix(call);
    int code = summand__matrix_enter(matrix->state, SUMMAND__ENTERED_MATRIX_NORM, &tag);
    if (code == MPI_SUCCESS)
        code = summand__matrix_norm(matrix, norm, result, call, tag);
    return summand__state_raise(call, matrix->state, code);
}

int summand_matrix_scalapack(const summand_matrix *matrix, int context, int descriptor[9])
{
    SUMMAND__IN_DEFAULT_FPENV;
    static const char call[] = "summand_matrix_scalapack";
    if (!matrix)
        return refuse_matrix(call);
    if (!descriptor)
        return conclude(call, matrix, summand__refuse(SUMMAND_ERR_ARGUMENT, "descriptor is NULL"));
    if (summand__grid_scalapack(&matrix->grid, context, matrix->lead, descriptor))
        return MPI_SUCCESS;
    const struct summand__grid *grid = &matrix->grid;
    return conclude(call, matrix,
                    summand__refuse(SUMMAND_ERR_ARGUMENT,
                                    "a number of the matrix is beyond int: it has %lld x %lld "
                                    "elements in blocks of %lld x %lld, and lead %lld",
                                    (long long)grid->rows.extent, (long long)grid->columns.extent,
                                    (long long)grid->rows.block, (long long)grid->columns.block,
                                    (long long)matrix->lead));
}

int summand_matrix_read(summand_matrix *matrix, const char *path, enum summand_format format)
{
    SUMMAND__IN_DEFAULT_FPENV;
    static const char call[] = "summand_matrix_read";
    int tag;
    if (!matrix)
        return refuse_matrix(call);
    int code = summand__matrix_enter(matrix->state, SUMMAND__ENTERED_MATRIX_READ, &tag);
    if (code == MPI_SUCCESS)
        code = summand__matrix_read(matrix, path, format, call, tag);
    return summand__state_raise(call, matrix->state, code);
}

int summand_matrix_write(const summand_matrix *matrix, const char *path, enum summand_format format)
{
    SUMMAND__IN_DEFAULT_FPENV;
    static const char call[] = "summand_matrix_write";
    int tag;
    if (!matrix)
        return refuse_matrix(call);
    int code = summand__matrix_enter(matrix->state, SUMMAND__ENTERED_MATRIX_WRITE, &tag);
    if (code == MPI_SUCCESS)
        code = summand__matrix_write(matrix, path, format, call, tag);
    return summand__state_raise(call, matrix->state, code);
}
