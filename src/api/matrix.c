/* summand_matrix_*: arguments checked, one communicator agreed on, and plans made and run. */
#include <summand/matrix.h>

#include "comm/error.h"
#include "matrix/mpi/access.h"
#include "matrix/mpi/copy.h"
#include "matrix/mpi/expose.h"
#include "matrix/mpi/file.h"
#include "matrix/mpi/gemm.h"
#include "matrix/mpi/norm.h"

/* A matrix that is none has no communicator to raise the error on. */
static int refuse(const char *call)
{
    if (!summand__mpi_runs())
        return summand__no_mpi(call);
    return summand__matrix_refuse(SUMMAND_ERR_ARGUMENT, "the matrix is NULL");
}

/* Of local calls. */
static int conclude(const char *call, const summand_matrix *matrix, const char *wrong)
{
    int code = wrong ? summand__matrix_refuse(SUMMAND_ERR_ARGUMENT, wrong) : MPI_SUCCESS;
    return summand__state_raise(call, matrix->state, code);
}

int summand_matrix_extent(const summand_matrix_shape *shape, int rank, MPI_Count *rows,
                          MPI_Count *columns)
{
    int64_t extent[2] = {0, 0};
    int code = rows && columns ? summand__matrix_shape_check(shape, 0)
                               : summand__matrix_refuse(SUMMAND_ERR_ARGUMENT,
                                                        rows ? "columns is NULL" : "rows is NULL");
    if (code != MPI_SUCCESS)
        return code;
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
    static const char call[] = "summand_matrix_create";
    struct summand__state *state;
    struct summand__signature signature = {.count = 0};
    summand_matrix *made = NULL;
    int tag, code = summand__state_of(comm, &state);
    if (matrix)
        *matrix = NULL;
    if (code == MPI_SUCCESS)
        code = summand__matrix_enter(state, SUMMAND__ENTERED_MATRIX_CREATE, false, &tag);
    if (code != MPI_SUCCESS)
        return summand__raise(call, comm, code);
    code = matrix
               ? summand__matrix_make(state, shape, datatype, data, lead, &made)
               : summand__matrix_refuse(SUMMAND_ERR_ARGUMENT, "the pointer to the matrix is NULL");
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
    if (!matrix)
        return refuse("summand_matrix_local");
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
    static const char call[] = "summand_matrix_owner";
    int64_t local[2];
    if (!matrix)
        return refuse(call);
    const struct summand__grid *grid = &matrix->grid;
    if (row < 0 || row >= grid->rows.extent || column < 0 || column >= grid->columns.extent)
        return summand__state_raise(
            call, matrix->state,
            summand__refuse(SUMMAND_ERR_ARGUMENT,
                            "element (%lld, %lld), which is not in the matrix of %lld x %lld",
                            (long long)row, (long long)column, (long long)grid->rows.extent,
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
    static const char call[] = "summand_matrix_index";
    int64_t global[2];
    if (!matrix)
        return refuse(call);
    if (!row || !column)
        return conclude(call, matrix, row ? "column is NULL" : "row is NULL");
    if (local_row < 0 || local_row >= matrix->rows || local_column < 0 ||
        local_column >= matrix->columns)
        return summand__state_raise(
            call, matrix->state,
            summand__refuse(SUMMAND_ERR_ARGUMENT,
                            "element (%lld, %lld), which is not in the local array of %lld x %lld",
                            (long long)local_row, (long long)local_column, (long long)matrix->rows,
                            (long long)matrix->columns));
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
    static const char call[] = "summand_matrix_fill";
    if (!matrix)
        return refuse(call);
    if (!value)
        return conclude(call, matrix, "there is no function");
    for (int64_t j = 0; matrix->rows && j < matrix->columns; j++)
        for (int64_t i = 0; i < matrix->rows; i++) {
            int64_t row, column;
            void *column_data = summand__matrix_column(matrix, j);
            summand__grid_global(&matrix->grid, matrix->process, i, j, &row, &column);
            double element = value(row, column, context);
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
        return refuse(call);
    int code = summand__matrix_enter(matrix->state, entered, false, &tag);
    if (code == MPI_SUCCESS)
        code = summand__matrix_access(matrix, asked, sets, call, tag);
    return summand__state_raise(call, matrix->state, code);
}

int summand_matrix_get(const summand_matrix *matrix, MPI_Count row, MPI_Count column,
                       MPI_Count rows, MPI_Count columns, void *block, MPI_Count lead)
{
    const struct summand__request asked = {row, column, rows, columns, block, lead};
    return access_rectangle("summand_matrix_get", SUMMAND__ENTERED_MATRIX_GET,
                            (summand_matrix *)matrix, &asked, false); /* only read */
}

int summand_matrix_set(summand_matrix *matrix, MPI_Count row, MPI_Count column, MPI_Count rows,
                       MPI_Count columns, const void *block, MPI_Count lead)
{
    const struct summand__request asked = {row,     column,        rows,
                                           columns, (void *)block, lead}; /* only read */
    return access_rectangle("summand_matrix_set", SUMMAND__ENTERED_MATRIX_SET, matrix, &asked,
                            true);
}

int summand_matrix_expose(summand_matrix *matrix)
{
    static const char call[] = "summand_matrix_expose";
    int tag;
    if (!matrix)
        return refuse(call);
    int code = summand__matrix_enter(matrix->state, SUMMAND__ENTERED_MATRIX_EXPOSE, false, &tag);
    summand__gemm_forget(matrix); /* the elements move */
    if (code == MPI_SUCCESS)
        code = summand__matrix_expose(matrix, call, tag);
    return summand__state_raise(call, matrix->state, code);
}

static int reach_rectangle(const char *call, summand_matrix *matrix,
                           const struct summand__request *asked, bool stores)
{
    if (!matrix)
        return refuse(call);
    int code = matrix->state->over ? MPI_ERR_COMM : summand__matrix_reach(matrix, asked, stores);
    return summand__state_raise(call, matrix->state, code);
}

int summand_matrix_fetch(const summand_matrix *matrix, MPI_Count row, MPI_Count column,
                         MPI_Count rows, MPI_Count columns, void *block, MPI_Count lead)
{
    const struct summand__request asked = {row, column, rows, columns, block, lead};
    return reach_rectangle("summand_matrix_fetch", (summand_matrix *)matrix, &asked,
                           false); /* only read */
}

int summand_matrix_store(summand_matrix *matrix, MPI_Count row, MPI_Count column, MPI_Count rows,
                         MPI_Count columns, const void *block, MPI_Count lead)
{
    const struct summand__request asked = {row,     column,        rows,
                                           columns, (void *)block, lead}; /* only read */
    return reach_rectangle("summand_matrix_store", matrix, &asked, true);
}

/* A plan; `refused`: whatever else is wrong. */
static int make_copy(const summand_matrix *from, summand_matrix *to, bool transposed, bool init,
                     int refused, summand_plan **plan)
{
    static const char *const calls[2][2] = {
        {"summand_matrix_copy", "summand_matrix_copy_init"},
        {"summand_matrix_transpose", "summand_matrix_transpose_init"}};
    const char *call = calls[transposed][init];
    struct summand__state *state = from ? from->state : to->state;
    int tag, code = summand__matrix_enter(state,
                                          transposed ? SUMMAND__ENTERED_MATRIX_TRANSPOSE
                                                     : SUMMAND__ENTERED_MATRIX_COPY,
                                          init, &tag);
    *plan = NULL;
    if (code == MPI_SUCCESS)
        code = summand__matrix_copy_plan(from, to, transposed, call, refused, tag, plan);
    if (code == MPI_SUCCESS && !init)
        code = summand__plan_run(*plan);
    if (!init)
        summand_plan_free(plan);
    return summand__state_raise(call, state, code);
}

int summand_matrix_copy(const summand_matrix *from, summand_matrix *to)
{
    summand_plan *plan;
    return from || to ? make_copy(from, to, false, false, MPI_SUCCESS, &plan)
                      : refuse("summand_matrix_copy");
}

int summand_matrix_transpose(const summand_matrix *from, summand_matrix *to)
{
    summand_plan *plan;
    return from || to ? make_copy(from, to, true, false, MPI_SUCCESS, &plan)
                      : refuse("summand_matrix_transpose");
}

static int init_copy(const summand_matrix *from, summand_matrix *to, bool transposed,
                     summand_plan **plan)
{
    summand_plan *made = NULL;
    int refused =
        plan ? MPI_SUCCESS
             : summand__matrix_refuse(SUMMAND_ERR_ARGUMENT, "the pointer to the plan is NULL");
    int code = make_copy(from, to, transposed, true, refused, &made);
    if (plan)
        *plan = made;
    return code;
}

int summand_matrix_copy_init(const summand_matrix *from, summand_matrix *to, summand_plan **plan)
{
    return from || to ? init_copy(from, to, false, plan) : refuse("summand_matrix_copy_init");
}

int summand_matrix_transpose_init(const summand_matrix *from, summand_matrix *to,
                                  summand_plan **plan)
{
    return from || to ? init_copy(from, to, true, plan) : refuse("summand_matrix_transpose_init");
}

int summand_matrix_norm(const summand_matrix *matrix, enum summand_norm norm, void *result)
{
    static const char call[] = "summand_matrix_norm";
    int tag;
    if (!matrix)
        return refuse(call);
    int code = summand__matrix_enter(matrix->state, SUMMAND__ENTERED_MATRIX_NORM, false, &tag);
    if (code == MPI_SUCCESS)
        code = summand__matrix_norm(matrix, norm, result, call, tag);
    return summand__state_raise(call, matrix->state, code);
}

int summand_matrix_scalapack(const summand_matrix *matrix, int context, int descriptor[9])
{
    static const char call[] = "summand_matrix_scalapack";
    if (!matrix)
        return refuse(call);
    if (!descriptor)
        return conclude(call, matrix, "the pointer to the descriptor is NULL");
    bool fits = summand__grid_scalapack(&matrix->grid, context, matrix->lead, descriptor);
    return conclude(call, matrix, fits ? NULL : "a number of the descriptor does not fit an int");
}

int summand_matrix_read(summand_matrix *matrix, const char *path, enum summand_matrix_format format)
{
    static const char call[] = "summand_matrix_read";
    int tag;
    if (!matrix)
        return refuse(call);
    int code = summand__matrix_enter(matrix->state, SUMMAND__ENTERED_MATRIX_READ, false, &tag);
    if (code == MPI_SUCCESS)
        code = summand__matrix_read(matrix, path, format, call, tag);
    return summand__state_raise(call, matrix->state, code);
}

int summand_matrix_write(const summand_matrix *matrix, const char *path,
                         enum summand_matrix_format format)
{
    static const char call[] = "summand_matrix_write";
    int tag;
    if (!matrix)
        return refuse(call);
    int code = summand__matrix_enter(matrix->state, SUMMAND__ENTERED_MATRIX_WRITE, false, &tag);
    if (code == MPI_SUCCESS)
        code = summand__matrix_write(matrix, path, format, call, tag);
    return summand__state_raise(call, matrix->state, code);
}
