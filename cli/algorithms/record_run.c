/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a sample or a product as a plan on MPI_COMM_WORLD, and gathers the records of all ranks. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "bench/need.h"
#include "cli/algorithms/record.h"
#include "compute/mpi/onesided.h"
#include "compute/mpi/places.h"
#include "compute/mpi/window.h"

struct running {
    struct summand__state *state;
    struct summand__schedule schedule;
    struct summand__onesided onesided;
    void *memory[SUMMAND__MOST_PLACES];
    summand_matrix *matrix[RECORD_MATRICES]; /* of a product */
    summand_plan *plan;
};

static void copy_elements(const void *context, const void *from, void *to, size_t count)
{
    (void)context;
    memcpy(to, from, count * sizeof(double));
}

static void before(void *work)
{
    (void)work;
}

static int after(void *work)
{
    (void)work;
    return MPI_SUCCESS;
}

static const struct summand__plan_hooks hooks = {.before = before, .after = after, .drop = before};

/* Inputs are ones. */
static void make_places(struct running *own)
{
    for (unsigned p = 0; p < own->schedule.places; p++) {
        const struct summand__place_info *info = &own->schedule.info[p];
        if (info->kind == SUMMAND__WINDOW)
            continue;
        size_t bytes = info->count * info->unit;
        double *elements = own->memory[p] = need(calloc(bytes + sizeof(double), 1));
        for (size_t i = 0; i < bytes / sizeof(double) && info->kind == SUMMAND__INPUT; i++)
            elements[i] = 1;
        own->onesided.place[p] = elements;
    }
}

static int open_window(struct running *own, struct record_run *run)
{
    size_t bytes[SUMMAND__MOST_PLACES];
    struct summand__window_spec spec = summand__places_window(&own->schedule, bytes);
    if (!spec.slots && !spec.counters) {
        run->window = NULL;
        return MPI_SUCCESS;
    }
    int code = MPI_ERR_UNSUPPORTED_OPERATION;
    for (int t = 0; summand__window_transports[t] && code == MPI_ERR_UNSUPPORTED_OPERATION; t++) {
        const struct summand__window_transport *transport = summand__window_transports[t];
        if ((run->window ? !strcmp(run->window, transport->name) : !transport->named) &&
            transport->available(own->state))
            code = transport->open(own->state, &spec, &own->onesided.window);
    }
    if (code == MPI_SUCCESS)
        run->window = own->onesided.window->transport->name;
    return code;
}

static int make_plan(struct running *own)
{
    struct summand__plan_parts parts = {
        .root = SUMMAND_ROOT_ALL,
        .operator= {.extent = sizeof(double), .reduce = copy_elements, .copy = copy_elements},
        .datatype = MPI_DOUBLE,
        .schedule = &own->schedule,
        .onesided = &own->onesided,
        .hooks = &hooks};
    int code = summand__plan_tag(own->state, &parts.tag);
    return code == MPI_SUCCESS ? summand__plan_make(own->state, &parts, &own->plan) : code;
}

static int start_all(summand_plan *plan, int starts, struct summand__recording *recording)
{
    int code = MPI_SUCCESS;
    for (int k = 0; k < starts && code == MPI_SUCCESS; k++) {
        code = MPI_Barrier(MPI_COMM_WORLD);
        summand__plan_record(plan, k + 1 == starts ? recording : NULL);
        if (code == MPI_SUCCESS)
            code = summand_plan_start(plan);
        if (code == MPI_SUCCESS)
            code = summand_plan_wait(plan);
    }
    summand__plan_record(plan, NULL);
    return code;
}

/* Gathers this rank's records, as bytes, on rank 0. */
static void gather(const struct summand__recorded *own, size_t count,
                   struct summand__timeline *timeline)
{
    int rank, ranks, bytes = (int)(count * sizeof *own);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    *timeline = (struct summand__timeline){.ranks = ranks};
    int *all = need(calloc((size_t)ranks, sizeof *all));
    MPI_Gather(&bytes, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!rank) {
        timeline->of = need(calloc((size_t)ranks, sizeof *timeline->of));
        timeline->count = need(calloc((size_t)ranks, sizeof *timeline->count));
    }
    for (int r = 0; r < ranks && !rank; r++) {
        timeline->count[r] = (size_t)all[r] / sizeof *own;
        timeline->of[r] = need(malloc((size_t)all[r] + 1));
        if (!r)
            memcpy(timeline->of[r], own, (size_t)bytes);
        else
            MPI_Recv(timeline->of[r], all[r], MPI_BYTE, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank)
        MPI_Send(own, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    free(all);
}

static void read_records(const struct running *own, const struct summand__recording *recording,
                         struct summand__timeline *timeline)
{
    struct summand__recorded *recorded = need(malloc((recording->count + 1) * sizeof *recorded));
    for (size_t i = 0; i < recording->count; i++)
        recorded[i] = summand__plan_recorded(own->plan, recording, i);
    gather(recorded, recording->count, timeline);
    free(recorded);
}

static void begin_sample(struct running *own, struct record_run *run, struct trouble *trouble)
{
    int rank, code = summand__state_of(MPI_COMM_WORLD, &own->state);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    summand__schedule_init(&own->schedule);
    if (code == MPI_SUCCESS) {
        run->sample->build(&run->size, rank, &own->schedule);
        code = own->schedule.failed ? MPI_ERR_NO_MEM : open_window(own, run);
    }
    trouble_note_mpi(trouble, run->window ? run->window : "window", code);
    if (!agree("record", trouble)) {
        summand__schedule_free(&own->schedule);
        return;
    }
    make_places(own);
    trouble_note_mpi(trouble, run->sample->name, make_plan(own)); /* takes the schedule over */
}

static void begin_product(struct running *own, struct record_run *run, struct trouble *trouble)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    trouble_note_mpi(trouble, "gemm", record_gemm_make(&run->gemm, own->matrix, &own->plan));
    if (own->plan)
        run->window = summand__plan_window(own->plan)->transport->name;
}

/* Runs and records a plan that all ranks have. */
static void record(struct running *own, struct record_run *run, struct summand__timeline *timeline,
                   struct trouble *trouble)
{
    const char *name = run->sample ? run->sample->name : "gemm";
    const struct summand__window *window = summand__plan_window(own->plan);
    struct summand__recording recording = {0};
    if (!summand__plan_recording_init(own->plan, &recording))
        trouble_note(trouble, "out of memory");
    if (agree("record", trouble)) {
        trouble_note_mpi(trouble, name, start_all(own->plan, run->starts, &recording));
        if (recording.count > recording.room)
            trouble_note(trouble, "%s: more than %zu records", name, recording.room);
        if (agree("record", trouble))
            read_records(own, &recording, timeline);
    }
    timeline->immediate = window && window->transport->abilities & SUMMAND__NOTIFY_COMPLETES;
    summand__recording_free(&recording);
}

void record_run(struct record_run *run, struct summand__timeline *timeline, struct trouble *trouble)
{
    struct running own = {.plan = NULL};
    (run->sample ? begin_sample : begin_product)(&own, run, trouble);
    if (agree("record", trouble))
        record(&own, run, timeline, trouble);
    summand_plan_free(&own.plan);
    MPI_Barrier(MPI_COMM_WORLD);
    if (own.onesided.window)
        own.onesided.window->transport->close(own.onesided.window);
    for (unsigned p = 0; p < SUMMAND__MOST_PLACES; p++)
        free(own.memory[p]);
    for (int m = 0; m < RECORD_MATRICES; m++)
        summand_matrix_free(&own.matrix[m]);
}

void record_free(struct summand__timeline *timeline)
{
    for (int r = 0; timeline->of && r < timeline->ranks; r++)
        free(timeline->of[r]);
    free(timeline->of);
    free(timeline->count);
    summand__timeline_free(timeline);
}
