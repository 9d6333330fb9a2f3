/* SPDX-License-Identifier: BSD-3-Clause */
#include "calibrate/decide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Losses within this factor are equal. */
static const double ALIKE = 1.03;

const size_t summand__pair_sizes[SUMMAND__PAIR_SIZES] = {4 << 10,  8 << 10,  16 << 10,
                                                         32 << 10, 64 << 10, 128 << 10};

/* Highest loss of each size, as logarithms of ratios: read, and through the queue. */
struct losses {
    double read[SUMMAND__PAIR_SIZES], queue[SUMMAND__PAIR_SIZES];
};

/* Sizes [first, last). */
struct run {
    int first, last;
    double worst, all;
};

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* The order statistics that enclose the median with 95 % confidence, for n >= 6, by the normal
 * approximation of the binomial distribution. */
static void interval(double *values, int n, double *low, double *high)
{
    int below = (int)floor((n - 1.96 * sqrt(n) - 1) / 2);
    below = below > 0 ? below : 0;
    qsort(values, (size_t)n, sizeof *values, ascending);
    *low = values[below];
    *high = values[n - 1 - below];
}

static struct losses losses_of(const struct summand__read_samples *samples, int first, int rounds)
{
    struct losses losses = {{0}, {0}};
    double values[SUMMAND__READ_ROUNDS], low, high;
    for (int s = 0; s < SUMMAND__PAIR_SIZES; s++)
        for (int p = 0; p < SUMMAND__PATTERNS; p++) {
            for (int r = 0; r < rounds; r++)
                values[r] = samples->ratio[first + r][s][p];
            interval(values, rounds, &low, &high);
            losses.read[s] = fmax(losses.read[s], -log(low));
            losses.queue[s] = fmax(losses.queue[s], log(high));
        }
    return losses;
}

static struct run weigh(const struct losses *losses, int first, int last)
{
    struct run run = {first, last, 0, 0};
    for (int s = 0; s < SUMMAND__PAIR_SIZES; s++) {
        double loss = s >= first && s < last ? losses->read[s] : losses->queue[s];
        run.worst = fmax(run.worst, loss);
        run.all += loss;
    }
    return run;
}

/* The least loss at the worst size over all runs. */
static double least_worst(const struct losses *losses)
{
    double least = weigh(losses, 0, 0).worst;
    for (int first = 0; first < SUMMAND__PAIR_SIZES; first++)
        for (int last = first + 1; last <= SUMMAND__PAIR_SIZES; last++)
            least = fmin(least, weigh(losses, first, last).worst);
    return least;
}

/* Tries no run, then short runs first: one that reads more must win enough. */
static struct run choose(const struct losses *losses)
{
    const double alike = log(ALIKE), most = least_worst(losses) + alike;
    struct run best = weigh(losses, 0, 0);
    for (int n = 1; n <= SUMMAND__PAIR_SIZES; n++)
        for (int first = 0; first + n <= SUMMAND__PAIR_SIZES; first++) {
            struct run run = weigh(losses, first, first + n);
            if (run.worst <= most && (best.worst > most || run.all < best.all - alike))
                best = run;
        }
    return best;
}

static struct run choose_from(const struct summand__read_samples *samples, int first, int rounds)
{
    struct losses losses = losses_of(samples, first, rounds);
    return choose(&losses);
}

static bool same(struct run a, struct run b)
{
    return a.first == b.first && a.last == b.last;
}

void summand__read_add(struct summand__read_samples *samples,
                       const double ratio[SUMMAND__PAIR_SIZES][SUMMAND__PATTERNS])
{
    if (samples->rounds < SUMMAND__READ_ROUNDS)
        memcpy(samples->ratio[samples->rounds++], ratio, sizeof samples->ratio[0]);
}

void summand__read_range(const struct summand__read_samples *samples, int64_t *least, int64_t *end)
{
    *least = *end = 0;
    if (!samples->rounds)
        return;
    struct run run = choose_from(samples, 0, samples->rounds);
    if (run.first == run.last)
        return;
    *least = (int64_t)summand__pair_sizes[run.first];
    *end = (int64_t)summand__pair_sizes[run.last - 1] * 2;
}

bool summand__read_settled(const struct summand__read_samples *samples)
{
    enum { BATCH = SUMMAND__READ_BATCH };
    int whole = samples->rounds / BATCH * BATCH;
    if (whole < 2 * BATCH)
        return false;
    struct run last = choose_from(samples, whole - BATCH, BATCH);
    return same(last, choose_from(samples, whole - 2 * BATCH, BATCH)) &&
           same(last, choose_from(samples, 0, samples->rounds));
}
