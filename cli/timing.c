#include "timing.h"

#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

enum { ROUNDS_LEAST = 30, ROUNDS_MOST = 1 << 16, BATCH_MOST = 2000 };
#define BATCH_SECONDS 0.1 /* between two looks at the clock and at the intervals */
#define CLOSE_ENOUGH 0.02
#define LEAST_PART 0.25 /* of the budget: a machine's mood outlasts a few good rounds */

static uint64_t random_bits(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void shuffle(int *order, int count, uint64_t *state)
{
    for (int i = count - 1; i > 0; i--) {
        int j = (int)(random_bits(state) % (uint64_t)(i + 1)), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
}

struct run {
    const struct timing_subject *subjects;
    int count;
    uint64_t state; /* of the shuffle; the same on all ranks */
    int order[TIMING_SUBJECTS];
    double *batch; /* this rank's seconds: round by round, subject by subject */
    struct trouble *trouble;
};

static void round_once(struct run *run, double *seconds)
{
    shuffle(run->order, run->count, &run->state);
    for (int i = 0; i < run->count; i++) {
        const struct timing_subject *subject = &run->subjects[run->order[i]];
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        int code = subject->run(subject->context);
        seconds[run->order[i]] = MPI_Wtime() - start;
        trouble_note_mpi(run->trouble, subject->name, code);
    }
}

/* Every rank's share of `rounds` rounds, then the slowest rank's time of each, on all ranks. False,
 * on all ranks, after an error on any. */
static bool run_batch(struct run *run, int rounds, struct timing *timings)
{
    double *failed = &run->batch[rounds * run->count];
    for (int r = 0; r < rounds; r++)
        round_once(run, run->batch + r * run->count);
    *failed = run->trouble->text[0] != '\0';
    MPI_Allreduce(MPI_IN_PLACE, run->batch, rounds * run->count + 1, MPI_DOUBLE, MPI_MAX,
                  MPI_COMM_WORLD);
    for (int s = 0; s < run->count; s++) {
        for (int r = 0; r < rounds; r++)
            timings[s].seconds[timings[s].rounds + r] = run->batch[r * run->count + s];
        timings[s].rounds += rounds;
    }
    return *failed == 0;
}

/* All ranks have the same times and so come to the same answer. */
static bool all_settled(struct timing *timings, int count)
{
    bool all = true;
    for (int s = 0; s < count; s++) {
        struct timing *t = &timings[s];
        t->time = measure_median(t->seconds, t->rounds);
        t->settled = t->rounds >= ROUNDS_LEAST &&
                     t->time.high - t->time.median <= CLOSE_ENOUGH * t->time.median &&
                     t->time.median - t->time.low <= CLOSE_ENOUGH * t->time.median;
        all = all && t->settled;
    }
    return all;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void finish(struct timing *t)
{
    double *sorted = malloc((size_t)t->rounds * sizeof *sorted);
    if (!sorted)
        return;
    memcpy(sorted, t->seconds, (size_t)t->rounds * sizeof *sorted);
    qsort(sorted, (size_t)t->rounds, sizeof *sorted, ascending);
    t->least = sorted[0];
    t->p99 = sorted[(int)ceil(0.99 * t->rounds) - 1];
    free(sorted);
}

static double agreed_seconds(double start)
{
    double elapsed = MPI_Wtime() - start;
    MPI_Bcast(&elapsed, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return elapsed;
}

static void show_progress(const char *label, double elapsed, double budget, bool over)
{
    if (cli_rank() || !isatty(STDERR_FILENO))
        return;
    if (over)
        fputs("\r\033[K", stderr);
    else
        fprintf(stderr, "\r\033[K%s: %.1f of %.1f s", label, elapsed, budget);
    fflush(stderr);
}

static void run_rounds(struct run *run, double budget, const char *label, struct timing *timings)
{
    double start = MPI_Wtime(), elapsed = 0;
    show_progress(label, 0, budget, false);
    int warm = 0;
    do /* pages, caches, connections, clock speed */
        round_once(run, run->batch);
    while ((elapsed = agreed_seconds(start)) < 0.05 * budget && ++warm < BATCH_MOST);
    double each = elapsed / (warm + 1);
    int batch = each * BATCH_MOST < BATCH_SECONDS ? BATCH_MOST : (int)(BATCH_SECONDS / each);
    batch = batch < 1 ? 1 : batch;
    while (run_batch(run, batch, timings)) {
        elapsed = agreed_seconds(start);
        show_progress(label, elapsed, budget, false);
        bool settled = all_settled(timings, run->count) && elapsed >= LEAST_PART * budget;
        if (settled || elapsed >= budget || timings[0].rounds + batch > ROUNDS_MOST)
            break;
    }
    show_progress(label, elapsed, budget, true);
}

void timing_run(const struct timing_subject *subjects, int count, double budget, const char *label,
                struct timing *timings, struct trouble *trouble)
{
    struct run run = {.subjects = subjects, .count = count, .state = 88172645463325252u};
    run.trouble = trouble;
    run.batch = malloc(((size_t)count * BATCH_MOST + 1) * sizeof *run.batch);
    bool fine = run.batch != NULL;
    for (int s = 0; s < count; s++) {
        run.order[s] = s;
        timings[s] = (struct timing){.seconds = malloc(ROUNDS_MOST * sizeof(double))};
        fine = fine && timings[s].seconds;
    }
    MPI_Allreduce(MPI_IN_PLACE, &fine, 1, MPI_C_BOOL, MPI_LAND, MPI_COMM_WORLD);
    if (!fine)
        trouble_note(trouble, "out of memory");
    else
        run_rounds(&run, budget, label, timings);
    for (int s = 0; fine && s < count; s++)
        finish(&timings[s]);
    free(run.batch);
}

void timing_free(struct timing *timings, int count)
{
    for (int s = 0; s < count; s++)
        free(timings[s].seconds);
}

int timing_ranks_per_node(void)
{
    MPI_Comm node;
    int ranks = 1;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &ranks);
    MPI_Comm_free(&node);
    MPI_Allreduce(MPI_IN_PLACE, &ranks, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return ranks;
}
