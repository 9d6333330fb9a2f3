/* SPDX-License-Identifier: BSD-3-Clause */
#include "matrix/mpi/matrix.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/runs.h"
#include "op/buffer.h"
#include "op/predefined.h"
#include "op/type_signature.h"
#include "plan/agree.h"
#include "process/error.h"
#include "transport/transport.h"

/* The sum of two indices must not overflow. */
static const int64_t most = INT64_C(1) << 62;

static int check_group(const summand_matrix_shape *shape, int ranks)
{
    const int *group = shape->group;
    for (int i = 0; group && i < shape->grid_rows * shape->grid_columns; i++) {
        if (group[i] < 0)
            return summand__refuse(SUMMAND_ERR_ARGUMENT, "shape.group[%d] is %d, not a rank", i,
                                   group[i]);
        if (ranks && group[i] >= ranks)
            return summand__refuse(SUMMAND_ERR_ARGUMENT,
                                   "shape.group[%d] is %d; the communicator has ranks 0 to %d", i,
                                   group[i], ranks - 1);
        for (int j = 0; j < i; j++)
            if (group[i] == group[j])
                return summand__refuse(SUMMAND_ERR_ARGUMENT,
                                       "shape.group[%d] and shape.group[%d] are both rank %d", j, i,
                                       group[i]);
    }
    return MPI_SUCCESS;
}

int summand__matrix_shape_check(const summand_matrix_shape *shape, int ranks)
{
    if (!shape)
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "shape is NULL");
    const struct {
        const char *name;
        MPI_Count value, least;
    } rows[] = {{"rows", shape->rows, 0},
                {"columns", shape->columns, 0},
                {"block_rows", shape->block_rows, 1},
                {"block_columns", shape->block_columns, 1},
                {"grid_rows", shape->grid_rows, 1},
                {"grid_columns", shape->grid_columns, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].value < rows[i].least || (i < 2 && rows[i].value > most))
            return summand__refuse(SUMMAND_ERR_ARGUMENT, "shape.%s is %lld, not %lld %s",
                                   rows[i].name, (long long)rows[i].value, (long long)rows[i].least,
                                   i < 2 ? "to 2^62" : "or more");
    if (shape->grid_rows > (ranks ? ranks : INT_MAX) / shape->grid_columns)
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "shape.grid_rows x shape.grid_columns is %d x %d processes, more "
                               "than the %d ranks there are",
                               shape->grid_rows, shape->grid_columns, ranks ? ranks : INT_MAX);
    return check_group(shape, ranks);
}

static bool make_group(struct summand_matrix *matrix, const summand_matrix_shape *shape)
{
    int processes = shape->grid_rows * shape->grid_columns;
    matrix->group = malloc((size_t)processes * sizeof *matrix->group);
    for (int i = 0; matrix->group && i < processes; i++)
        matrix->group[i] = shape->group ? shape->group[i] : i;
    matrix->grid =
        (struct summand__grid){{shape->rows, shape->block_rows, shape->grid_rows},
                               {shape->columns, shape->block_columns, shape->grid_columns},
                               matrix->group};
    return matrix->group != NULL;
}

/* Takes the library's memory, or the caller's. */
static int take_memory(struct summand_matrix *matrix, void *data, int64_t lead)
{
    bool any = matrix->rows && matrix->columns;
    int64_t least = matrix->rows ? matrix->rows : 1;
    matrix->data = data;
    matrix->lead = lead;
    if (matrix->process < 0 || (!data && !lead)) {
        matrix->data = NULL;
        matrix->lead = least;
        if (!any)
            return MPI_SUCCESS;
        int64_t elements = summand__matrix_span(matrix);
        if (elements < 0)
            return summand_error_code(SUMMAND_ERR_MEMORY);
        matrix->data = matrix->memory = calloc((size_t)elements, matrix->unit);
        return matrix->data
                   ? MPI_SUCCESS
                   : summand__refuse(SUMMAND_ERR_MEMORY, "for a local array of %lld x %lld %s",
                                     (long long)matrix->rows, (long long)matrix->columns,
                                     summand__matrix_type(matrix));
    }
    if (lead < least)
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "lead is %lld, not %lld (the local rows) or more", (long long)lead,
                               (long long)least);
    if (summand__matrix_span(matrix) < 0)
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "lead is %lld: no array has %lld columns so far apart",
                               (long long)lead, (long long)matrix->columns);
    if (summand__no_buffer(data) && any)
        return summand__refuse_as(MPI_ERR_BUFFER,
                                  "data is %s with lead %lld; the local array has %lld x %lld "
                                  "elements",
                                  summand__no_buffer_name(data), (long long)lead,
                                  (long long)matrix->rows, (long long)matrix->columns);
    return MPI_SUCCESS;
}

/* C's datatype of the elements, which may have one of Fortran's names; it stays if it is wrong. */
static int read_datatype(MPI_Datatype *named)
{
    const MPI_Datatype datatype = *named;
    char name[64];
    bool single, complex;
    if (summand__datatype_floating(datatype, &single, &complex) && !complex) {
        *named = single ? MPI_FLOAT : MPI_DOUBLE;
        return MPI_SUCCESS;
    }
    if (datatype == MPI_DATATYPE_NULL)
        return summand__refuse_as(MPI_ERR_TYPE,
                                  "datatype is MPI_DATATYPE_NULL, not MPI_DOUBLE or MPI_FLOAT");
    summand__type_text(datatype, name, sizeof name);
    return summand__refuse(SUMMAND_ERR_DATATYPE, "datatype is %s", name);
}

int summand__matrix_make(struct summand__state *state, const summand_matrix_shape *shape,
                         MPI_Datatype datatype, void *data, int64_t lead,
                         struct summand_matrix **made)
{
    *made = NULL;
    int code = summand__matrix_shape_check(shape, state->ranks);
    if (code == MPI_SUCCESS)
        code = read_datatype(&datatype);
    if (code != MPI_SUCCESS)
        return code;
    struct summand_matrix *matrix = calloc(1, sizeof *matrix);
    if (!matrix)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    summand__state_hold(state);
    matrix->state = state;
    matrix->number = summand__public_call(state->channel.calls);
    matrix->datatype = datatype;
    matrix->unit = datatype == MPI_FLOAT ? sizeof(float) : sizeof(double);
    matrix->users = 1;
    matrix->process = -1;
    code = make_group(matrix, shape) ? MPI_SUCCESS : summand_error_code(SUMMAND_ERR_MEMORY);
    if (code == MPI_SUCCESS) {
        matrix->process = summand__grid_process(&matrix->grid, state->rank);
        if (matrix->process >= 0)
            summand__grid_extent(&matrix->grid, matrix->process, &matrix->rows, &matrix->columns);
        code = take_memory(matrix, data, lead);
    }
    if (code == MPI_SUCCESS)
        *made = matrix;
    else
        summand__matrix_release(matrix);
    return code;
}

static int64_t hash_group(const summand_matrix_shape *shape)
{
    int64_t hash = 0;
    for (int i = 0; i < shape->grid_rows * shape->grid_columns; i++)
        hash = summand__sign_mix(hash, shape->group ? shape->group[i] : i);
    return hash;
}

static void say_group(const struct summand__argument *argument, char *text, size_t room)
{
    const summand_matrix_shape *shape = argument->of;
    size_t used = 0;
    for (int i = 0; i < shape->grid_rows * shape->grid_columns && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%d", i ? "," : "",
                                 shape->group ? shape->group[i] : i);
}

void summand__matrix_sign(struct summand__signature *signature, const summand_matrix_shape *shape,
                          MPI_Datatype datatype)
{
    summand__sign_call(signature, "summand_matrix_create");
    summand__sign_number(signature, "rows", shape->rows);
    summand__sign_number(signature, "columns", shape->columns);
    summand__sign_number(signature, "block_rows", shape->block_rows);
    summand__sign_number(signature, "block_columns", shape->block_columns);
    summand__sign_number(signature, "grid_rows", shape->grid_rows);
    summand__sign_number(signature, "grid_columns", shape->grid_columns);
    struct summand__argument *group = summand__sign_number(signature, "group", hash_group(shape));
    group->say = say_group;
    group->of = shape;
    summand__sign_datatype(signature, "datatype", datatype);
}

static struct summand__runs runs_of(const struct summand_matrix *matrix)
{
    return (struct summand__runs){matrix->data, (size_t)matrix->columns,
                                  (size_t)matrix->rows * matrix->unit,
                                  (size_t)matrix->lead * matrix->unit};
}

bool summand__matrices_meet(const struct summand_matrix *a, const struct summand_matrix *b)
{
    const struct summand__runs of_a = runs_of(a), of_b = runs_of(b);
    return summand__runs_meet(&of_a, &of_b);
}

struct summand_matrix *summand__matrix_hold(const struct summand_matrix *matrix)
{
    struct summand_matrix *held = (struct summand_matrix *)matrix; /* made by us, as not const */
    held->users++;
    return held;
}

void summand__matrix_release(struct summand_matrix *matrix)
{
    if (!matrix || --matrix->users)
        return;
    if (matrix->window)
        matrix->window->transport->close(matrix->window);
    free(matrix->group);
    free(matrix->memory);
    summand__state_release(matrix->state);
    free(matrix);
}

int summand__matrix_enter(struct summand__state *state, unsigned call, int *tag)
{
    if (!summand__matrix_usable(state))
        return MPI_ERR_COMM;
    summand__enter(state, call);
    int code = summand__agree_earlier(state); /* which may bring tags in step */
    *tag = summand__call_tag(state);
    return code;
}

static void say_matrix(const struct summand__argument *argument, char *text, size_t room)
{
    snprintf(text, room, "the one of call %lld", (long long)argument->value);
}

void summand__matrix_sign_as(struct summand__signature *signature, const char *name,
                             const struct summand_matrix *matrix)
{
    summand__sign_number(signature, name, (int64_t)matrix->number)->say = say_matrix;
}

int summand__matrix_agree(struct summand__state *state, int code,
                          const struct summand__signature *signature, int tag)
{
    code = summand__agree(state, code, code == MPI_SUCCESS ? signature : NULL);
    summand__plan_abandon(state, tag);
    return code;
}
