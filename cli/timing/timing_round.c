/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/timing/timing_round.h"

#include <math.h>
#include <mpi.h>
#include <stdlib.h>

#include "base/hash.h"
#include "cli/common/cli.h"
#include "cli/timing/clock.h"

enum { BATCH_MOST = 2000 };
#define AHEAD_FIRST 5e-6 /* seconds; doubled while too many ranks are late */

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

/* Never 0, at which the generator would stay. */
static uint64_t seeded(uint64_t seed, uint64_t stream)
{
    uint64_t x = (seed + 1) * SUMMAND__GOLDEN + stream * 0xbf58476d1ce4e5b9u;
    x ^= x >> 31;
    return x ? x : 88172645463325252u;
}

bool timing_round_open(struct timing_round *run, const struct timing_subject *subjects, int count,
                       const struct timing_options *options, struct trouble *trouble)
{
    *run = (struct timing_round){.subjects = subjects,
                                 .count = count,
                                 .start = options->start,
                                 .imbalance = options->imbalance,
                                 .before = options->before,
                                 .context = options->context,
                                 .shared = seeded(options->seed, 0),
                                 .own = seeded(options->seed, 1 + (uint64_t)cli_rank()),
                                 .ahead = AHEAD_FIRST,
                                 .trouble = trouble};
    for (int s = 0; s < count; s++)
        run->order[s] = s;
    clock_open(&run->nodes);
    run->batch = malloc(((size_t)count * BATCH_MOST * 2 + 1) * sizeof *run->batch);
    bool counts = run->start != TIMING_COUNTER || counter_barrier_open(&run->barrier);
    if (!counts)
        trouble_note(trouble, "--start counter: the ranks share no memory");
    return run->batch && counts;
}

void timing_round_close(struct timing_round *run)
{
    clock_close(&run->nodes);
    counter_barrier_close(&run->barrier);
    free(run->batch);
}

int timing_round_fitting(double rounds)
{
    return rounds < 1 ? 1 : rounds > BATCH_MOST ? BATCH_MOST : (int)rounds;
}

/* Spins until the agreed time, on the local clock. False if it had passed already. */
static bool spin_until(double time)
{
    double now = clock_now();
    bool in_time = now <= time;
    while (now < time)
        now = clock_now();
    return in_time;
}

/* Returns this rank's start by its own clock, or infinity if it is too late. */
static double start_together(struct timing_round *run)
{
    if (run->start == TIMING_COUNTER)
        counter_barrier_pass(&run->barrier);
    else
        MPI_Barrier(MPI_COMM_WORLD); /* a root may end long before the others */
    if (run->start != TIMING_CLOCK)
        return clock_now();
    double start = clock_now() + run->ahead; /* rank 0's value counts */
    MPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    start += run->offset;
    return spin_until(start) ? start : INFINITY;
}

/* entry: the end, and the value to subtract; the difference of their maxima over the ranks is the
 * repetition's time. */
static void repetition(struct timing_round *run, const struct timing_subject *subject,
                       double *entry)
{
    if (run->before)
        run->before(run->context);
    double start = start_together(run), from = start;
    entry[1] = 0;
    if (run->imbalance > 0) {
        double delay = run->imbalance * ((double)(random_bits(&run->own) >> 11) * 0x1p-53);
        spin_until(clock_now() + delay);
        from = run->epoch + run->offset;
        entry[1] = clock_now() - from;
    }
    int code = subject->run(subject->context);
    double end = clock_now();
    entry[0] = isinf(start) ? INFINITY : end - from;
    if (code != MPI_SUCCESS)
        trouble_note_mpi(run->trouble, subject->name, code);
}

bool timing_round_batch(struct timing_round *run, int rounds)
{
    size_t row = 2 * (size_t)run->count;
    double *failed = &run->batch[(size_t)rounds * row];
    if (run->start == TIMING_CLOCK || run->imbalance > 0) {
        run->epoch = clock_now();
        MPI_Bcast(&run->epoch, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        run->offset = clock_offset(&run->nodes);
    }
    for (int r = 0; r < rounds; r++) {
        shuffle(run->order, run->count, &run->shared);
        for (int i = 0; i < run->count; i++) {
            int s = run->order[i];
            repetition(run, &run->subjects[s], run->batch + (size_t)r * row + 2 * s);
        }
    }
    *failed = run->trouble->text[0] != '\0';
    MPI_Allreduce(MPI_IN_PLACE, run->batch, (int)((size_t)rounds * row + 1), MPI_DOUBLE, MPI_MAX,
                  MPI_COMM_WORLD);
    return *failed == 0;
}
