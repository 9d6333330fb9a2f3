#include "lab/gossip/bulk.h"

#include "gossip/permutation.h"
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
    void (*watch)(void *context, double fraction); /* NULL but on the first thread */
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
    /* Huge pages: with small ones every access misses the TLB too. */
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

void summand__ardb_steps(int log, enum summand__data_kind kind, uint64_t data_seed, double truth,
                         int count, const double *eps, int *root_steps, int *largest_steps)
{
    double block[64], largest[64] = {0}, root[64] = {0}; /* per step: averages of 2^step ranks */
    int64_t n = (int64_t)1 << log;
    for (int64_t i = 0; i < n; i++) {
        double average = summand__datum(kind, data_seed, n, i);
        for (int step = 0;; step++) {
            double error = fabs(average - truth) / fabs(truth);
            largest[step] = fmax(largest[step], error);
            if (i >> step == 0)
                root[step] = error;
            if (!(i >> step & 1) || step == log) {
                block[step] = average;
                break;
            }
            average = (block[step] + average) / 2;
        }
    }
    for (int k = 0; k < count; k++) {
        root_steps[k] = largest_steps[k] = -1;
        for (int step = log; step >= 0; step--) {
            if (root[step] <= eps[k])
                root_steps[k] = step;
            if (largest[step] <= eps[k])
                largest_steps[k] = step;
        }
    }
}
