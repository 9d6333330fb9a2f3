/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/gossip/bulk.h"

#include "base/permutation.h"
#include "lab/gossip/parallel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BLOCK = 128, TELL = 4096 /* blocks between calls of watch */ };

struct share {
    int64_t begin, end;                            /* positions on the cycle */
    double before;                                 /* the old value of the node before the first */
    double low, high;                              /* of the new values */
    int64_t blocks;                                /* done */
    void (*watch)(void *context, double fraction); /* NULL except on the first thread */
    void *context;
};

#define REAL float
#define WALK walk_single
#include "lab/gossip/bulk_walk.h"
#undef REAL
#undef WALK
#define REAL double
#define WALK walk_double
#include "lab/gossip/bulk_walk.h"
#undef REAL
#undef WALK

struct round {
    const struct summand__bulk *bulk;
    struct summand__permutation permutation;
    struct share shares[SUMMAND__THREADS_MOST];
};

double summand__bulk_get(const struct summand__bulk *bulk, int64_t i)
{
    return bulk->single ? (double)((const float *)bulk->values)[i]
                        : ((const double *)bulk->values)[i];
}

void summand__bulk_put(struct summand__bulk *bulk, int64_t i, double value)
{
    if (bulk->single)
        ((float *)bulk->values)[i] = (float)value;
    else
        ((double *)bulk->values)[i] = value;
}

static void walk(void *context, int t, int threads)
{
    (void)threads;
    struct round *round = context;
    (round->bulk->single ? walk_single : walk_double)(round->bulk, &round->permutation,
                                                      &round->shares[t]);
}

void summand__bulk_step(struct summand__bulk *bulk)
{
    struct round round = {.bulk = bulk};
    int threads = bulk->n < 4096 ? 1 : bulk->threads;
    summand__permutation_make(&round.permutation, (uint64_t)bulk->n, bulk->seed,
                              (uint64_t)bulk->round);
    for (int t = 0; t < threads; t++) {
        struct share *share = &round.shares[t];
        *share = (struct share){.watch = t ? NULL : bulk->watch, .context = bulk->context};
        share->begin = summand__share(bulk->n, t, threads);
        share->end = summand__share(bulk->n, t + 1, threads);
        int64_t before = share->begin ? share->begin - 1 : bulk->n - 1;
        share->before = summand__bulk_get(
            bulk, (int64_t)summand__permutation_at(&round.permutation, (uint64_t)before));
    }
    if (bulk->n > 2)
        summand__parallel(threads, walk, &round);
    double low = INFINITY, high = -INFINITY;
    for (int t = 0; t < threads; t++) {
        low = fmin(low, round.shares[t].low);
        high = fmax(high, round.shares[t].high);
    }
    bulk->largest = fmax(high - bulk->truth, bulk->truth - low) / fabs(bulk->truth);
    bulk->root = fabs(summand__bulk_get(bulk, 0) - bulk->truth) / fabs(bulk->truth);
    bulk->round++;
}

struct fill {
    struct summand__bulk *bulk;
    enum summand__data_kind kind;
    uint64_t seed;
    bool ones;
};

static void fill_share(void *context, int t, int threads)
{
    struct fill *fill = context;
    struct summand__bulk *bulk = fill->bulk;
    int64_t i = summand__share(bulk->n, t, threads), end = summand__share(bulk->n, t + 1, threads);
    for (int64_t first = i; i < end; i++) {
        if (!t && bulk->watch && !(i % (BLOCK * TELL)))
            bulk->watch(bulk->context, (double)(i - first) / (double)(end - first));
        summand__bulk_put(bulk, i,
                          fill->ones ? 1 : summand__datum(fill->kind, fill->seed, bulk->n, i));
    }
}

static size_t bytes_of(const struct summand__bulk *bulk)
{
    return (size_t)bulk->n * (bulk->single ? sizeof(float) : sizeof(double));
}

static bool allocate(struct summand__bulk *bulk)
{
    bulk->values = mmap(NULL, bytes_of(bulk), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bulk->values == MAP_FAILED) {
        bulk->values = NULL;
        return false;
    }
    /* With small pages every access also misses the TLB. */
    madvise(bulk->values, bytes_of(bulk), MADV_HUGEPAGE);
    return true;
}

bool summand__bulk_open(struct summand__bulk *bulk, int64_t n, bool single,
                        enum summand__data_kind kind, uint64_t data_seed, uint64_t seed,
                        int threads)
{
    *bulk = (struct summand__bulk){.n = n,
                                   .seed = seed,
                                   .single = single,
                                   .threads = summand__threads(threads),
                                   .watch = bulk->watch,
                                   .context = bulk->context};
    if (!allocate(bulk))
        return false;
    struct fill fill = {bulk, kind, data_seed, false};
    summand__parallel(bulk->threads, fill_share, &fill);
    bulk->truth = summand__data_mean(kind, data_seed, n, threads);
    bulk->root = fabs(summand__bulk_get(bulk, 0) - bulk->truth) / fabs(bulk->truth);
    bulk->largest = INFINITY; /* known after the first round */
    return true;
}

bool summand__bulk_open_ones(struct summand__bulk *bulk, const struct summand__bulk *like)
{
    *bulk = *like;
    bulk->truth = 1;
    if (!allocate(bulk))
        return false;
    struct fill fill = {.bulk = bulk, .ones = true};
    summand__parallel(bulk->threads, fill_share, &fill);
    return true;
}

void summand__bulk_close(struct summand__bulk *bulk)
{
    if (bulk->values)
        munmap(bulk->values, bytes_of(bulk));
    bulk->values = NULL;
}

void summand__bulk_pass(struct summand__bulk *bulk, struct summand__tape *tape)
{
    enum { PART = 1 << 22 };
    char *bytes = bulk->values;
    summand__tape_expect(tape, (uint64_t)bulk->n);
    summand__tape_expect(tape, bulk->single);
    summand__tape_expect(tape, bulk->seed);
    summand__tape_expect_real(tape, bulk->truth);
    summand__tape_pass(tape, &bulk->round, sizeof bulk->round);
    summand__tape_pass(tape, &bulk->root, sizeof bulk->root);
    summand__tape_pass(tape, &bulk->largest, sizeof bulk->largest);
    for (size_t at = 0, all = bytes_of(bulk); at < all; at += PART)
        summand__tape_pass(tape, bytes + at, all - at < PART ? all - at : PART);
}

/* Recursive doubling's averages of 2^step ranks, step by step. */
struct doubling {
    double low[64], high[64]; /* over all groups of ranks */
    double root[64];          /* of the first group */
    double left[64];          /* of a group whose right neighbour is not done yet */
    unsigned __int128 sum;    /* of all values, in units of 2^-53 */
};

enum { LEAVES_LOG = 12, LEAVES = 1 << LEAVES_LOG, LANES = 8 };

/* Works lane by lane, as the order of comparisons does not matter. */
static void widen(double *low, double *high, const double *values, int count)
{
    double least[LANES], most[LANES];
    int lanes = count < LANES ? count : LANES;
    for (int l = 0; l < LANES; l++)
        least[l] = most[l] = values[l < lanes ? l : 0];
    for (int k = LANES; k < count; k += LANES)
        for (int l = 0; l < LANES; l++) {
            least[l] = values[k + l] < least[l] ? values[k + l] : least[l];
            most[l] = values[k + l] > most[l] ? values[k + l] : most[l];
        }
    for (int l = 0; l < LANES; l++) {
        *low = least[l] < *low ? least[l] : *low;
        *high = most[l] > *high ? most[l] : *high;
    }
}

static void add_up(struct doubling *d, const double *values, int count)
{
    for (int k = 0; k < count; k += 512) { /* 512 terms below 2^54 */
        uint64_t part = 0;
        for (int j = k; j < count && j < k + 512; j++)
            part += (uint64_t)(int64_t)(values[j] * 0x1p53);
        d->sum += part;
    }
}

static void halve(double *restrict to, const double *restrict from, int count)
{
    for (int k = 0; k < count; k++)
        to[k] = (from[2 * k] + from[2 * k + 1]) / 2;
}

/* The average of 2^log ranks; `first`: they begin with rank 0. */
static double average_leaves(struct doubling *d, int log, const double *values, bool first)
{
    double rooms[2][LEAVES / 2];
    for (int step = 0;; step++) {
        widen(&d->low[step], &d->high[step], values, 1 << (log - step));
        if (first)
            d->root[step] = values[0];
        if (step == log)
            return values[0];
        halve(rooms[step % 2], values, 1 << (log - step - 1));
        values = rooms[step % 2];
    }
}

/* Uses the average of group number `group` of 2^step ranks: computes those of the larger groups
 * that end with it. */
static void combine(struct doubling *d, int step, int log, int64_t group, double average)
{
    for (; step < log; group >>= 1) {
        if (!(group & 1)) {
            d->left[step] = average;
            return;
        }
        average = (d->left[step++] + average) / 2;
        d->low[step] = fmin(d->low[step], average);
        d->high[step] = fmax(d->high[step], average);
        if (group == 1)
            d->root[step] = average;
    }
}

double summand__ardb_steps(int log, enum summand__data_kind kind, uint64_t data_seed, int count,
                           const double *eps, int *root_steps, int *largest_steps)
{
    struct doubling d = {.sum = 0};
    double values[LEAVES];
    int64_t n = (int64_t)1 << log;
    int leaves = log < LEAVES_LOG ? log : LEAVES_LOG;
    for (int step = 0; step <= log; step++) {
        d.low[step] = INFINITY;
        d.high[step] = -INFINITY;
    }
    for (int64_t group = 0; group << leaves < n; group++) {
        for (int k = 0; k < 1 << leaves; k++)
            values[k] = summand__datum(kind, data_seed, n, (group << leaves) + k);
        add_up(&d, values, 1 << leaves);
        combine(&d, leaves, log, group, average_leaves(&d, leaves, values, !group));
    }
    double truth = (double)((long double)d.sum / (long double)n * 0x1p-53L);
    for (int k = 0; k < count; k++) {
        root_steps[k] = largest_steps[k] = -1;
        for (int step = log; step >= 0; step--) {
            double largest = fmax(fabs(d.high[step] - truth), fabs(d.low[step] - truth));
            if (fabs(d.root[step] - truth) / fabs(truth) <= eps[k])
                root_steps[k] = step;
            if (largest / fabs(truth) <= eps[k])
                largest_steps[k] = step;
        }
    }
    return truth;
}
