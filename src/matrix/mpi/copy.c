/* SPDX-License-Identifier: BSD-3-Clause */
#include "matrix/mpi/copy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/stream.h"
#include "process/error.h"

struct work {
    struct summand__onesided onesided; /* of a schedule that computes */
    void *messages;
    struct summand_matrix *held[2];
    int64_t rows, columns; /* of the matrix, for the message of a stuck rank */
};

static void before(void *work)
{
    (void)work;
}

static int after(void *work)
{
    (void)work;
    return MPI_SUCCESS;
}

static void drop(void *context)
{
    struct work *work = context;
    if (!work)
        return;
    for (int i = 0; i < 2; i++)
        summand__matrix_release(work->held[i]);
    free(work->messages);
    free(work);
}

static void describe(const void *context, char *text, size_t room)
{
    const struct work *work = context;
    snprintf(text, room, "matrix of %lld x %lld", (long long)work->rows, (long long)work->columns);
}

static const struct summand__plan_hooks hooks = {
    .before = before, .after = after, .drop = drop, .describe = describe};

/* The schedule copies and sends, and combines nothing. */
static void copy_elements(const void *context, const void *from, void *to, size_t count)
{
    summand__copy_bytes(to, from, count * *(const size_t *)context);
}

struct summand__operator summand__copy_operator(size_t unit)
{
    static const size_t units[] = {sizeof(float), sizeof(double)};
    return (struct summand__operator){.extent = unit,
                                      .context = &units[unit == sizeof(double)],
                                      .reduce = copy_elements,
                                      .copy = copy_elements};
}

static struct work *make_work(const struct summand__transfer *transfer,
                              const struct summand__schedule *schedule)
{
    const struct summand__place_info *messages =
        &schedule->info[SUMMAND__MOVE_MESSAGES - SUMMAND__PLACES];
    const struct summand_matrix *matrix =
        transfer->from_matrix ? transfer->from_matrix : transfer->to_matrix;
    struct work *work = calloc(1, sizeof *work);
    if (!work)
        return NULL;
    work->messages = messages->count > PTRDIFF_MAX / messages->unit
                         ? NULL
                         : malloc(messages->count * messages->unit + 1);
    if (!work->messages) {
        free(work);
        return NULL;
    }
    work->onesided.place[SUMMAND__MOVE_FROM - SUMMAND__PLACES] = (void *)transfer->from; /* read */
    work->onesided.place[SUMMAND__MOVE_TO - SUMMAND__PLACES] = transfer->to;
    work->onesided.place[SUMMAND__MOVE_MESSAGES - SUMMAND__PLACES] = work->messages;
    work->held[0] = transfer->from_matrix ? summand__matrix_hold(transfer->from_matrix) : NULL;
    work->held[1] = transfer->to_matrix ? summand__matrix_hold(transfer->to_matrix) : NULL;
    work->rows = matrix->grid.rows.extent;
    work->columns = matrix->grid.columns.extent;
    return work;
}

int summand__transfer_plan(struct summand__state *state, int code,
                           const struct summand__transfer *transfer, int tag, summand_plan **plan)
{
    struct summand__schedule schedule;
    struct work *work = NULL;
    summand__schedule_init(&schedule);
    if (code == MPI_SUCCESS) {
        summand__move_build(&transfer->move, state->rank, &schedule);
        work = schedule.failed ? NULL : make_work(transfer, &schedule);
        code = work ? MPI_SUCCESS : summand_error_code(SUMMAND_ERR_MEMORY);
    }
    struct summand__plan_parts parts = {
        .tag = tag,
        .root = SUMMAND_ROOT_ALL,
        .operator= summand__copy_operator(transfer->move.unit),
        .datatype = transfer->move.unit == sizeof(float) ? MPI_FLOAT : MPI_DOUBLE,
        .schedule = &schedule,
        .hooks = &hooks,
        .work = work};
    if (work)
        parts.onesided = &work->onesided;
    if (code != MPI_SUCCESS)
        summand__schedule_free(&schedule);
    return summand__plan_make_together(state, code, &parts, plan);
}

int summand__matrix_copy_check(const struct summand_matrix *from, const struct summand_matrix *to,
                               bool transposed)
{
    if (!from || !to)
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "%s is NULL, not a matrix",
                               from ? "to" : "from");
    const struct summand__cyclic *rows = transposed ? &to->grid.columns : &to->grid.rows;
    const struct summand__cyclic *columns = transposed ? &to->grid.rows : &to->grid.columns;
    if (from->state != to->state)
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "from and to are on different communicators");
    if (from->unit != to->unit)
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "from has type %s, to has type %s",
                               summand__matrix_type(from), summand__matrix_type(to));
    if (from->grid.rows.extent != rows->extent || from->grid.columns.extent != columns->extent)
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "from is %lld x %lld; to is %lld x %lld%s",
                               (long long)from->grid.rows.extent,
                               (long long)from->grid.columns.extent,
                               (long long)to->grid.rows.extent, (long long)to->grid.columns.extent,
                               transposed ? ", not that transposed" : ", not that");
    if (from == to || summand__matrices_meet(from, to))
        return summand__refuse(SUMMAND_ERR_ARGUMENT, from == to
                                                         ? "from and to are one matrix"
                                                         : "the memory of from and to overlaps");
    return MPI_SUCCESS;
}

static struct summand__move move_of(const struct summand_matrix *from,
                                    const struct summand_matrix *to, bool transposed)
{
    return (struct summand__move){.from_count = summand__grid_processes(&from->grid),
                                  .to_count = summand__grid_processes(&to->grid),
                                  .from_lead = from->lead,
                                  .to_lead = to->lead,
                                  .from_room = (size_t)summand__matrix_span(from),
                                  .to_room = (size_t)summand__matrix_span(to),
                                  .transposed = transposed,
                                  .unit = from->unit};
}

/* `code`: the error of a call with good arguments that lacks memory. */
static int make(const struct summand_matrix *from, struct summand_matrix *to, bool transposed,
                int tag, summand_plan **plan)
{
    struct summand__transfer transfer = {.move = move_of(from, to, transposed),
                                         .from = from->data,
                                         .to = to->data,
                                         .from_matrix = from,
                                         .to_matrix = to};
    size_t count = (size_t)(transfer.move.from_count + transfer.move.to_count);
    struct summand__holder *holders = malloc(count * sizeof *holders);
    if (holders) {
        summand__grid_holders(&from->grid, holders);
        summand__grid_holders(&to->grid, holders + transfer.move.from_count);
    }
    transfer.move.from = holders;
    transfer.move.to = holders + (holders ? transfer.move.from_count : 0);
    int code = holders ? MPI_SUCCESS : summand_error_code(SUMMAND_ERR_MEMORY);
    code = summand__transfer_plan(from->state, code, &transfer, tag, plan);
    free(holders);
    return code;
}

int summand__matrix_copy_plan(const struct summand_matrix *from, struct summand_matrix *to,
                              bool transposed, const char *call, int code, int tag,
                              summand_plan **plan)
{
    struct summand__state *state = from ? from->state : to->state;
    struct summand__signature signature;
    summand__sign_call(&signature, call);
    if (code == MPI_SUCCESS)
        code = summand__matrix_copy_check(from, to, transposed);
    if (code == MPI_SUCCESS) {
        summand__matrix_sign_as(&signature, "from", from);
        summand__matrix_sign_as(&signature, "to", to);
    }
    code = summand__matrix_agree(state, code, &signature, tag);
    if (code != MPI_SUCCESS)
        return code;
    summand__enter_step(state);
    return make(from, to, transposed, tag, plan);
}
