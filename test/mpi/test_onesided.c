/* np: 2 3 4; together */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules of computations, puts and counters as plans, over every window transport: the proved
 * samples of lab/sample/. They are started many times, with nothing between the starts that would
 * let ranks wait for one another. Results have the bits of a plain loop. */
#include <stdlib.h>
#include <summand.h>

#include "compute/mpi/window.h"
#include "lab/sample/sample.h"
#include "mpi/doubles.h"

enum { STARTS = 25 };

static struct summand__state *state;
static const struct summand__window_transport *transport;

/* A plan of a sample, with its buffers. */
struct subject {
    const struct summand__sample *sample;
    struct summand__sample_size size;
    struct summand__onesided onesided;
    summand_plan *plan;
    double *in, *result, **all; /* this rank's inputs, place after place; all ranks' inputs */
    size_t inputs, results;
};

static void expose(struct subject *subject, const struct summand__schedule *schedule)
{
    size_t bytes[SUMMAND__MOST_PLACES];
    struct summand__window_spec spec = {.slot_bytes = bytes,
                                        .counters = (int)schedule->tables->n_counters};
    for (unsigned p = 0; p < schedule->places; p++) {
        const struct summand__place_info *info = &schedule->info[p];
        if (info->kind == SUMMAND__WINDOW)
            bytes[spec.slots++] = info->unit * info->count;
        else if (info->kind == SUMMAND__INPUT)
            subject->inputs += info->count;
        else
            subject->results += info->count;
    }
    int code = transport->open(state, &spec, &subject->onesided.window);
    CHECK(code == MPI_SUCCESS, "%s: open: %d", transport->name, code);
    if (code != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Memory for the schedule's places. */
static void bind(struct subject *subject, const struct summand__schedule *schedule)
{
    expose(subject, schedule);
    subject->in = calloc(subject->inputs + 1, sizeof(double));
    subject->result = calloc(subject->results + 1, sizeof(double));
    subject->all = malloc((size_t)harness_ranks * sizeof *subject->all);
    for (int r = 0; r < harness_ranks; r++)
        subject->all[r] = malloc((subject->inputs + 1) * sizeof(double));
    size_t input = 0;
    for (unsigned p = 0; p < schedule->places; p++) {
        const struct summand__place_info *info = &schedule->info[p];
        if (info->kind == SUMMAND__RESULT)
            subject->onesided.place[p] = subject->result;
        if (info->kind != SUMMAND__INPUT)
            continue;
        subject->onesided.place[p] = subject->in + input;
        input += info->count;
    }
}

static void make(struct subject *subject)
{
    struct summand__schedule schedule;
    summand__schedule_init(&schedule);
    subject->sample->build(&subject->size, harness_rank, &schedule);
    bind(subject, &schedule);
    subject->plan = doubles_plan(state, &schedule, NULL, NULL, &subject->onesided);
}

static void drop(struct subject *subject)
{
    summand_plan_free(&subject->plan);
    MPI_Barrier(MPI_COMM_WORLD);
    transport->close(subject->onesided.window);
    for (int r = 0; r < harness_ranks; r++)
        free(subject->all[r]);
    free(subject->all);
    free(subject->in);
    free(subject->result);
}

/* Every rank knows the inputs of all. */
static void fill(struct subject *subject, int start)
{
    for (int r = 0; r < harness_ranks; r++) {
        uint64_t seed = (uint64_t)(1000 * start + r);
        for (size_t i = 0; i < subject->inputs; i++)
            subject->all[r][i] = (double)(int64_t)harness_random(&seed) * 0x1p-62;
    }
    memcpy(subject->in, subject->all[harness_rank], subject->inputs * sizeof(double));
}

static void check(const struct subject *subject, int start)
{
    size_t wrong = 0;
    for (size_t i = 0; i < subject->results; i++)
        wrong += harness_bits(subject->result[i]) !=
                 harness_bits(subject->sample->plain(
                     &subject->size, (const double *const *)subject->all, harness_rank, i));
    CHECK(!wrong, "%s over %s, start %d: %zu of %zu wrong", subject->sample->name, transport->name,
          start, wrong, subject->results);
}

static void run(const struct summand__sample *sample, struct summand__sample_size size)
{
    struct subject subject = {.sample = sample, .size = size};
    subject.size.ranks = harness_ranks;
    make(&subject);
    for (int start = 0; start < STARTS; start++) {
        fill(&subject, start);
        int code = summand_plan_start(subject.plan), done = 0;
        if (start % 3 == 2 && harness_rank % 2)
            usleep(300); /* others run ahead */
        while (code == MPI_SUCCESS && start % 2 && !done)
            code = summand_plan_test(subject.plan, &done);
        if (code == MPI_SUCCESS)
            code = summand_plan_wait(subject.plan);
        CHECK(code == MPI_SUCCESS, "%s: %d", sample->name, code);
        check(&subject, start);
    }
    drop(&subject);
}

/* Two active plans, for which ranks wait in different orders: a long computation of one does not
 * stop the other. */
static void two_at_once(void)
{
    struct subject subject[2] = {
        {.sample = summand__sample_named("gather-product"),
         .size = {.ranks = harness_ranks,
                  .blocks = 6,
                  .slots = 3,
                  .rows = 220,
                  .count = 250,
                  .tile = 150}},
        {.sample = summand__sample_named("slot-ring"),
         .size = {.ranks = harness_ranks, .blocks = 30, .slots = 2, .rows = 1, .count = 100}}};
    for (int i = 0; i < 2; i++)
        make(&subject[i]);
    for (int start = 0; start < 4; start++) {
        int first = (harness_rank + start) % 2;
        for (int i = 0; i < 2; i++) {
            fill(&subject[i], start);
            summand_plan_start(subject[i].plan);
        }
        CHECK(summand_plan_wait(subject[first].plan) == MPI_SUCCESS, "wait");
        CHECK(summand_plan_wait(subject[!first].plan) == MPI_SUCCESS, "wait");
        check(&subject[0], start);
        check(&subject[1], start);
    }
    for (int i = 0; i < 2; i++)
        drop(&subject[i]);
}

/* A ring, an all-reduce and the ring again as one plan. */
static void mixed_kinds(void)
{
    enum { COUNT = 5000 };
    static double x[COUNT], y[COUNT];
    struct subject subject = {
        .sample = summand__sample_named("slot-ring"),
        .size = {.ranks = harness_ranks, .blocks = 6, .slots = 2, .rows = 1, .count = 400}};
    struct summand__schedule whole;
    summand__schedule_init(&whole);
    summand__sample_mixed(&subject.size, "recursive-doubling", harness_rank, COUNT, &whole);
    bind(&subject, &whole);
    subject.plan = doubles_plan(state, &whole, x, y, &subject.onesided);
    for (int start = 0; start < STARTS; start++) {
        size_t wrong = 0;
        fill(&subject, start);
        for (size_t i = 0; i < COUNT; i++)
            x[i] = harness_rank + (double)(i % 7) + start;
        int code = summand_plan_start(subject.plan);
        if (code == MPI_SUCCESS)
            code = summand_plan_wait(subject.plan);
        for (size_t i = 0; i < COUNT; i++)
            wrong += y[i] != harness_ranks * ((double)(i % 7) + start) +
                                 harness_ranks * (harness_ranks - 1) / 2.0;
        CHECK(code == MPI_SUCCESS && !wrong, "start %d: code %d, %zu wrong", start, code, wrong);
        check(&subject, start);
    }
    drop(&subject);
}

static int refuse(const struct summand__work *work, size_t unit, size_t first, size_t rows)
{
    (void)work, (void)unit, (void)first, (void)rows;
    return MPI_ERR_OTHER;
}

static struct summand__work_cost nothing(const struct summand__work *work, size_t unit)
{
    (void)work, (void)unit;
    return (struct summand__work_cost){0};
}

/* A computation fails on rank 0 while the others wait for its notification: rank 0 has the error,
 * and the others learn that it has aborted. (Between nodes a notice says this, with the number of
 * the public call that made the plan; here there is none.) */
static void failure(void)
{
    static const struct summand__kernel broken = {
        .name = "broken", .meaning = SUMMAND__PACK, .run = refuse, .effort = nothing};
    struct subject subject = {0};
    struct summand__schedule schedule;
    summand__schedule_init(&schedule);
    uint32_t window = summand__add_place(&schedule, SUMMAND__WINDOW, sizeof(double), 2);
    summand__add_counter(&schedule, 0, harness_rank > 0);
    if (harness_rank)
        summand__wait_counter(&schedule, 0, 1);
    else
        summand__compute(&schedule, &broken, summand__tile(window, 0, 1, 1, 1),
                         summand__tile(0, 0, 0, 0, 0), summand__tile(window, 1, 1, 1, 1), false);
    summand__round(&schedule);
    bind(&subject, &schedule);
    subject.plan = doubles_plan(state, &schedule, NULL, NULL, &subject.onesided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int code = summand_plan_start(subject.plan);
    if (code == MPI_SUCCESS)
        code = summand_plan_wait(subject.plan);
    CHECK(harness_rank ? code != MPI_SUCCESS : code == MPI_ERR_OTHER, "code %d", code);
    drop(&subject);
}

TESTS
{
    static const struct summand__sample_size sizes[] = {
        {.blocks = 1, .slots = 1, .rows = 1, .count = 1, .tile = 1},
        {.blocks = 7, .slots = 2, .rows = 5, .count = 9, .tile = 4},
        {.blocks = 4, .slots = 6, .rows = 33, .count = 20, .tile = 64},
        {.blocks = 9, .slots = 3, .rows = 40, .count = 3000, .tile = 31}};
    summand__state_of(MPI_COMM_WORLD, &state);
    int transports = 0;
    for (int t = 0; summand__window_transports[t]; t++) {
        transport = summand__window_transports[t];
        if (!transport->available(state))
            continue;
        transports++;
        for (int s = 0; summand__samples[s]; s++)
            for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++)
                run(summand__samples[s], sizes[z]);
        two_at_once();
        mixed_kinds();
        if (state->segment && state->segment->whole)
            failure();
    }
    CHECK(transports || !state->segment || !state->segment->whole, "no window transport");
}
