/* SPDX-License-Identifier: BSD-3-Clause */
#include "matrix/mpi/access.h"

#include <stdlib.h>
#include <string.h>

#include "matrix/mpi/copy.h"
#include "op/buffer.h"
#include "plan/join.h"
#include "process/error.h"

/* A rank's rectangle, as all ranks know it. */
struct range {
    int64_t row, column, rows, columns;
};

static bool is_empty(const struct range *range)
{
    return !range->rows || !range->columns;
}

/* Elements of the caller's block; -1: too many for any array. */
static int64_t span_of(const struct summand_matrix *matrix, const struct summand__request *asked)
{
    return summand__span(asked->columns, asked->lead, asked->rows, matrix->unit);
}

/* The rectangle's rows or columns in those of the matrix. */
static int check_side(const char *first_name, int64_t first, const char *count_name, int64_t count,
                      int64_t extent)
{
    if (first >= 0 && count <= extent && first <= extent - count)
        return MPI_SUCCESS;
    return summand__refuse(
        SUMMAND_ERR_ARGUMENT, "%s %lld and %lld %s exceed the %lld %s of the matrix", first_name,
        (long long)first, (long long)count, count_name, (long long)extent, count_name);
}

int summand__request_check(const struct summand_matrix *matrix,
                           const struct summand__request *asked)
{
    const struct summand__grid *grid = &matrix->grid;
    if (asked->rows < 0 || asked->columns < 0)
        return summand__refuse_as(MPI_ERR_COUNT, "%s is %lld, not 0 or more",
                                  asked->rows < 0 ? "rows" : "columns",
                                  (long long)(asked->rows < 0 ? asked->rows : asked->columns));
    if (!asked->rows || !asked->columns)
        return MPI_SUCCESS;
    int code = check_side("row", asked->row, "rows", asked->rows, grid->rows.extent);
    if (code == MPI_SUCCESS)
        code = check_side("column", asked->column, "columns", asked->columns, grid->columns.extent);
    if (code != MPI_SUCCESS)
        return code;
    if (asked->lead < asked->rows)
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "lead is %lld, not %lld (rows) or more",
                               (long long)asked->lead, (long long)asked->rows);
    if (span_of(matrix, asked) < 0)
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "lead is %lld: no array has %lld columns so far apart",
                               (long long)asked->lead, (long long)asked->columns);
    if (summand__no_buffer(asked->block))
        return summand__refuse_as(MPI_ERR_BUFFER, "block is %s, for %lld x %lld elements",
                                  summand__no_buffer_name(asked->block), (long long)asked->rows,
                                  (long long)asked->columns);
    return MPI_SUCCESS;
}

static bool meet(int64_t a, int64_t a_count, int64_t b, int64_t b_count)
{
    return a < b + b_count && b < a + a_count;
}

/* All ranks get the same result. Cost: O(p^2) for p ranks that write. */
static int check_disjoint(const struct range *ranges, int ranks)
{
    for (int b = 1; b < ranks; b++)
        for (int a = 0; a < b && !is_empty(&ranges[b]); a++)
            if (!is_empty(&ranges[a]) &&
                meet(ranges[a].row, ranges[a].rows, ranges[b].row, ranges[b].rows) &&
                meet(ranges[a].column, ranges[a].columns, ranges[b].column, ranges[b].columns)) {
                summand__error_explain(
                    SUMMAND_ERR_ARGUMENT,
                    "the rectangles of ranks %d and %d overlap: from (%lld, %lld) on %lld x %lld, "
                    "and from (%lld, %lld) on %lld x %lld",
                    a, b, (long long)ranges[a].row, (long long)ranges[a].column,
                    (long long)ranges[a].rows, (long long)ranges[a].columns,
                    (long long)ranges[b].row, (long long)ranges[b].column,
                    (long long)ranges[b].rows, (long long)ranges[b].columns);
                return summand_error_code(SUMMAND_ERR_ARGUMENT);
            }
    return MPI_SUCCESS;
}

static int list_holders(const struct range *ranges, int ranks, struct summand__holder *holders)
{
    int count = 0;
    for (int r = 0; r < ranks; r++)
        if (!is_empty(&ranges[r]))
            holders[count++] = (struct summand__holder){
                r, summand__interval_share(ranges[r].row, ranges[r].rows),
                summand__interval_share(ranges[r].column, ranges[r].columns)};
    return count;
}

/* The transfer between the matrix and the ranks' rectangles. */
static struct summand__transfer transfer_of(struct summand_matrix *matrix,
                                            const struct summand__request *asked, bool sets,
                                            const struct range *ranges,
                                            struct summand__holder *holders)
{
    int processes = summand__grid_processes(&matrix->grid), ranks = matrix->state->ranks;
    size_t room = (size_t)summand__matrix_span(matrix);
    size_t asked_room = (size_t)span_of(matrix, asked);
    summand__grid_holders(&matrix->grid, holders);
    int count = list_holders(ranges, ranks, holders + processes);
    struct summand__transfer transfer = {.move = {.from = holders,
                                                  .to = holders + processes,
                                                  .from_count = processes,
                                                  .to_count = count,
                                                  .from_lead = matrix->lead,
                                                  .to_lead = asked->lead,
                                                  .from_room = room,
                                                  .to_room = asked_room,
                                                  .unit = matrix->unit},
                                         .from = matrix->data,
                                         .to = asked->block,
                                         .from_matrix = matrix};
    if (!sets)
        return transfer;
    return (struct summand__transfer){.move = {.from = holders + processes,
                                               .to = holders,
                                               .from_count = count,
                                               .to_count = processes,
                                               .from_lead = asked->lead,
                                               .to_lead = matrix->lead,
                                               .from_room = asked_room,
                                               .to_room = room,
                                               .unit = matrix->unit},
                                      .from = asked->block,
                                      .to = matrix->data,
                                      .to_matrix = matrix};
}

/* Exchanges the rectangles of all ranks. */
static int exchange(struct summand__state *state, const struct summand__request *asked, int tag,
                    struct range *ranges)
{
    bool any = asked->rows && asked->columns;
    ranges[state->rank] =
        any ? (struct range){asked->row, asked->column, asked->rows, asked->columns}
            : (struct range){0};
    summand__enter_step(state);
    int code = summand__join(state, tag, ranges, (size_t)state->ranks * sizeof *ranges);
    summand__enter_step(state);
    return code;
}

int summand__matrix_access(struct summand_matrix *matrix, const struct summand__request *asked,
                           bool sets, const char *call, int tag)
{
    struct summand__state *state = matrix->state;
    struct summand__signature signature;
    size_t ranks = (size_t)state->ranks;
    size_t processes = (size_t)summand__grid_processes(&matrix->grid);
    struct range *ranges = calloc(ranks, sizeof *ranges);
    struct summand__holder *holders = malloc((processes + ranks) * sizeof *holders);
    summand_plan *plan = NULL;
    int code = ranges && holders ? summand__request_check(matrix, asked)
                                 : summand_error_code(SUMMAND_ERR_MEMORY);
    summand__sign_call(&signature, call);
    summand__matrix_sign_as(&signature, "matrix", matrix);
    code = summand__matrix_agree(state, code, &signature, tag);
    if (code == MPI_SUCCESS) {
        code = exchange(state, asked, tag, ranges);
        if (code == MPI_SUCCESS && sets)
            code = check_disjoint(ranges, state->ranks);
        struct summand__transfer transfer = transfer_of(matrix, asked, sets, ranges, holders);
        code = summand__transfer_plan(state, code, &transfer, tag, &plan);
    }
    if (code == MPI_SUCCESS)
        code = summand__plan_run(plan);
    summand_plan_free(&plan);
    free(holders);
    free(ranges);
    return code;
}
