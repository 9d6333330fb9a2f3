/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/timing/timing.h"

#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/extreme.h"
#include "cli/output/progress.h"
#include "cli/output/setting.h"
#include "cli/ranks/interrupt.h"
#include "cli/timing/timing_round.h"
#include "fabric/node_split.h"

enum { ROUNDS_LEAST = 30, ROUNDS_MOST = 1 << 16 };
#define BATCH_SECONDS 0.1 /* between checks of the clock and the intervals */
#define CLOSE_ENOUGH 0.02
#define LEAST_PART 0.25 /* of the budget: slow phases of a machine outlast a few good rounds */
#define WARM_PART 0.25  /* of the budget, at most, for warming up */
#define STILL_FALLING 0.95
#define MOST_LATE 0.05      /* of the rounds, before starts move further ahead */
#define FURTHEST_AHEAD 0.02 /* seconds: some time slices */
#define FURTHEST_OF_ALL 1.0 /* if a subject has no repetition yet */

/* Appends a batch's rounds, with the slowest ranks' times, on all ranks. A repetition that began
 * late stays as a gap, so a round's repetitions stay aligned. */
static void keep_batch(const struct timing_round *run, int rounds, struct timing *timings)
{
    interrupt_hold();
    for (int r = 0; r < rounds; r++) {
        const double *ends = run->batch + (size_t)r * 2 * (size_t)run->count;
        for (int s = 0; s < run->count; s++) {
            bool late = isinf(ends[2 * s]);
            timings[s].late += late;
            timings[s].seconds[timings[s].rounds++] = late ? NAN : ends[2 * s] - ends[2 * s + 1];
        }
    }
    interrupt_release();
}

static int all_late(const struct timing *timings, int count)
{
    int late = 0;
    for (int s = 0; s < count; s++)
        late += timings[s].late;
    return late;
}

/* All ranks have the same times and get the same answer. */
static bool all_settled(struct timing *timings, int count, int least)
{
    bool all = true;
    for (int s = 0; s < count; s++) {
        struct timing *t = &timings[s];
        if (t->rounds - t->late < least)
            return false;
        struct measure_interval time = measure_median(t->seconds, t->rounds);
        t->settled = time.high - time.median <= CLOSE_ENOUGH * time.median &&
                     time.median - time.low <= CLOSE_ENOUGH * time.median;
        all = all && t->settled;
    }
    return all;
}

bool timing_has_gap(const struct timing *timings, int count)
{
    for (int s = 0; s < count; s++)
        if (timings[s].rounds == timings[s].late)
            return true;
    return false;
}

/* Runs and keeps a batch; if too many rounds began late, later starts move further ahead. Returns
 * false, on all ranks, after an error on any. */
static bool run_batch(struct timing_round *run, int rounds, struct timing *timings)
{
    int late = all_late(timings, run->count);
    if (!timing_round_batch(run, rounds))
        return false;
    keep_batch(run, rounds, timings);
    if (all_late(timings, run->count) - late > MOST_LATE * rounds * run->count)
        run->ahead = fmin(2 * run->ahead, FURTHEST_AHEAD);
    return true;
}

static void forget(struct timing *timings, int count)
{
    interrupt_hold();
    for (int s = 0; s < count; s++)
        timings[s].rounds = timings[s].late = 0;
    interrupt_release();
}

/* Warms up pages, caches, connections and clock speed: runs batches until no subject's median falls
 * by more than 5 %, within a quarter of the budget. Returns the seconds of a round, or -1 after an
 * error. */
static double warm_up(struct timing_round *run, const struct timing_options *options, double start,
                      struct timing *timings)
{
    double before[TIMING_SUBJECTS], each = 1;
    int warm = 0, batch = 1;
    for (bool falling = true; falling;) {
        double begin = interrupt_agreed_seconds(start);
        progress_show(options->label, fmin(begin, 0.999 * options->budget), options->budget);
        if (!run_batch(run, batch, timings))
            return -1;
        double now = interrupt_agreed_seconds(start);
        each = fmax((now - begin) / batch, 1e-9);
        falling = warm == 0;
        for (int s = 0; s < run->count; s++) {
            double median = measure_median(timings[s].seconds, timings[s].rounds).median;
            falling = falling || !(median >= STILL_FALLING * before[s]); /* or all were late */
            before[s] = median;
        }
        if (interrupt_agreed()) /* then these rounds are the result */
            break;
        forget(timings, run->count);
        warm += batch;
        batch = timing_round_fitting(0.02 * options->budget / each);
        if (now > WARM_PART * options->budget)
            break;
    }
    for (int s = 0; s < run->count; s++)
        timings[s].warm = warm;
    return each;
}

/* If a machine is so busy that a subject always began late, runs more rounds with starts further
 * and further ahead, until each has a repetition. The budget does not end this: else other programs
 * would decide whether there is a result. */
static void fill_gaps(struct timing_round *run, struct timing *timings)
{
    while (timings[0].rounds < ROUNDS_MOST && timing_has_gap(timings, run->count) &&
           !interrupt_agreed()) {
        run->ahead = fmin(2 * run->ahead, FURTHEST_OF_ALL);
        if (!timing_round_batch(run, 1))
            break;
        keep_batch(run, 1, timings);
    }
}

static void run_rounds(struct timing_round *run, const struct timing_options *options,
                       struct timing *timings)
{
    double start = MPI_Wtime(), elapsed;
    int most = options->most ? options->most : ROUNDS_MOST;
    double each = warm_up(run, options, start, timings);
    int batch = timing_round_fitting(BATCH_SECONDS / each);
    int least = summand__lesser(most, ROUNDS_LEAST);
    bool fine = each > 0;
    while (fine && !interrupt_agreed() &&
           (fine = run_batch(run, summand__lesser(batch, most - timings[0].rounds), timings))) {
        elapsed = interrupt_agreed_seconds(start);
        progress_show(options->label, fmin(elapsed, 0.999 * options->budget), options->budget);
        bool settled = all_settled(timings, run->count, least);
        if ((settled && elapsed >= LEAST_PART * options->budget) || elapsed >= options->budget ||
            timings[0].rounds >= most)
            break;
    }
    if (fine)
        fill_gaps(run, timings);
    progress_show(options->label, 1, 1);
}

void timing_run(const struct timing_subject *subjects, int count,
                const struct timing_options *options, struct timing *timings,
                struct trouble *trouble)
{
    struct timing_round run;
    bool fine = timing_round_open(&run, subjects, count, options, trouble);
    for (int s = 0; s < count; s++) {
        timings[s] = (struct timing){.seconds = malloc((size_t)ROUNDS_MOST * sizeof(double))};
        fine = fine && timings[s].seconds;
    }
    fine = agree_fine(fine);
    if (!fine)
        trouble_note(trouble, "out of memory");
    else
        run_rounds(&run, options, timings);
    bool gap = timing_has_gap(timings, count);
    if (fine && !trouble->text[0] && gap && interrupt_agreed())
        for (int s = 0; s < count; s++)
            timings[s].rounds = 0;
    else if (fine && !trouble->text[0] && gap)
        trouble_note(trouble,
                     "in %d rounds no repetition started together by the clock; try "
                     "--start barrier",
                     ROUNDS_MOST);
    timing_round_close(&run);
}

void timing_free(struct timing *timings, int count)
{
    for (int s = 0; s < count; s++)
        free(timings[s].seconds);
}

static int ranks_here(void)
{
    MPI_Comm node;
    int ranks = 1;
    summand__node_split(MPI_COMM_WORLD, &node);
    MPI_Comm_size(node, &ranks);
    MPI_Comm_free(&node);
    return ranks;
}

bool timing_crowded(void)
{
    bool crowded = ranks_here() > processors();
    MPI_Allreduce(MPI_IN_PLACE, &crowded, 1, MPI_C_BOOL, MPI_LOR, MPI_COMM_WORLD);
    return crowded;
}

int timing_ranks_per_node(void)
{
    int ranks = ranks_here();
    MPI_Allreduce(MPI_IN_PLACE, &ranks, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return ranks;
}
