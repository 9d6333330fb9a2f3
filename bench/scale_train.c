/* SPDX-License-Identifier: BSD-3-Clause */
/* Times pipelines of training on a simulated cluster (SimGrid's SMPI), and compares them with the
 * estimate of `summand predict train`:
 *
 *     scale-train MODE WIDTH BATCH PIECES BATCHES FLOP LATENCY BYTE
 *
 * MODE is sync, stashed, 2bw or last; as many stages as ranks, each of one layer of WIDTH neurons.
 * In a simulation computing takes no time, so every computation of the schedule sleeps, in
 * simulated time, for FLOP seconds per operation. LATENCY and BYTE are seconds of a put and of one
 * of its bytes, for the estimate. Rank 0 writes one line of CSV: mode, ranks, simulated seconds,
 * estimated seconds, simulated and estimated efficiency (computing by the time of all ranks). The
 * status is 1 if these differ by more than 20 %. The memory that computations would fill is never
 * touched. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/scale_clock.h"
#include "bench/scale_sleeper.h"
#include "comm/state.h"
#include "compute/mpi/places.h"
#include "compute/mpi/window.h"
#include "plan/plan.h"
#include "train/estimate.h"

enum { MODES = 4 }; /* as enum train_delay */

static double flop;

static void die(const char *what)
{
    fprintf(stderr, "scale-train: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static void nothing(void *work)
{
    (void)work;
}

static int nothing_after(void *work)
{
    (void)work;
    return MPI_SUCCESS;
}

static void describe(const void *work, char *text, size_t room)
{
    (void)work;
    snprintf(text, room, "a simulated pipeline");
}

static void combine(const void *context, const void *in, void *inout, size_t count)
{
    (void)context, (void)in, (void)inout, (void)count;
}

static void copy(const void *context, const void *from, void *to, size_t count)
{
    (void)context, (void)from, (void)to, (void)count;
}

/* Seconds from a common start to the last rank's end. */
static double simulate(const struct train_pipeline *pipeline, int rank)
{
    static const struct summand__plan_hooks hooks = {
        .before = nothing, .after = nothing_after, .drop = nothing, .describe = describe};
    struct summand__schedule schedule;
    struct train_stage_places places;
    struct summand__onesided onesided = {.window = NULL};
    struct summand__state *state;
    summand_plan *plan = NULL;
    size_t bytes[SUMMAND__MOST_PLACES];
    summand__schedule_init(&schedule);
    train_pipeline_build(pipeline, rank, &schedule, &places);
    if (schedule.failed || summand__state_of(MPI_COMM_WORLD, &state) != MPI_SUCCESS)
        die("no schedule");
    if (!scale_sleepers(&schedule, (struct scale_speed){.flop = flop}, false))
        die("more kernels than expected");
    for (unsigned p = 0; p < schedule.places; p++)
        if (schedule.info[p].kind != SUMMAND__WINDOW &&
            !(onesided.place[p] = calloc(schedule.info[p].count + 16, schedule.info[p].unit)))
            die("out of memory");
    struct summand__window_spec spec = summand__places_window(&schedule, bytes);
    struct summand__plan_parts parts = {
        .root = SUMMAND_ROOT_ALL,
        .operator= {.extent = sizeof(float), .reduce = combine, .copy = copy},
        .datatype = MPI_FLOAT,
        .schedule = &schedule,
        .onesided = &onesided,
        .hooks = &hooks};
    /* Over messages: a waiting rank calls the MPI, which lets simulated time pass. */
    if (summand__p2p_window.open(state, &spec, &onesided.window) != MPI_SUCCESS ||
        summand__plan_tag(state, &parts.tag) != MPI_SUCCESS ||
        summand__plan_make_together(state, MPI_SUCCESS, &parts, &plan) != MPI_SUCCESS)
        die("no plan");
    scale_start_together(MPI_COMM_WORLD);
    double begin = MPI_Wtime(), last;
    if (summand_plan_start(plan) != MPI_SUCCESS || summand_plan_wait(plan) != MPI_SUCCESS)
        die("the pipeline failed");
    double time = MPI_Wtime() - begin;
    MPI_Allreduce(&time, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return last;
}

int main(int argc, char **argv)
{
    static const char *const modes[] = {"sync", "stashed", "2bw", "last"};
    int rank, ranks, mode = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    while (argc == 9 && mode < MODES && strcmp(modes[mode], argv[1]) != 0)
        mode++;
    if (argc != 9 || mode == MODES || ranks > SUMMAND__NET_LAYERS_MOST || ranks < 2)
        die("usage: scale-train sync|stashed|2bw|last WIDTH BATCH PIECES BATCHES FLOP LATENCY "
            "BYTE");
    struct summand__net_shape shape = {.layers = ranks,
                                       .hidden = summand__net_activation_find("relu"),
                                       .last = summand__net_activation_find("linear"),
                                       .loss = summand__net_loss_find("cross-entropy")};
    for (int l = 0; l <= ranks; l++)
        shape.widths[l] = strtoul(argv[2], NULL, 10);
    struct train_pipeline pipeline = {.shape = &shape,
                                      .arithmetic = summand__net_arithmetics[0],
                                      .delay = (enum train_delay)mode,
                                      .batch = strtoul(argv[3], NULL, 10),
                                      .rate = 0.1};
    pipeline.piece = train_pipeline_whole(pipeline.delay)
                         ? pipeline.batch
                         : pipeline.batch / strtoul(argv[4], NULL, 10);
    pipeline.samples = pipeline.batch * strtoul(argv[5], NULL, 10);
    flop = strtod(argv[6], NULL);
    const struct train_machine machine = {flop, strtod(argv[7], NULL), strtod(argv[8], NULL)};
    struct train_grids grids = {.count = ranks, .ranks = ranks};
    for (int g = 0; g < ranks && g < TRAIN_STAGES_MOST; g++)
        grids.of[g] = (struct train_grid){1, 1, g};
    if (!pipeline.piece || !train_pipeline_cut(&pipeline, ranks))
        die("stages or pieces do not fit");
    struct train_estimate estimate = train_estimate(&pipeline, &grids, &machine);
    double time = simulate(&pipeline, rank);
    double efficiency = estimate.efficiency * estimate.epoch / time;
    bool good = fabs(efficiency / estimate.efficiency - 1) <= 0.2;
    if (!rank)
        printf("%s,%d,%.6f,%.6f,%.4f,%.4f\n", modes[mode], ranks, time, estimate.epoch, efficiency,
               estimate.efficiency);
    MPI_Finalize();
    return !good;
}
