/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/gossip/data.h"

#include "lab/gossip/parallel.h"

#include <math.h>
#include <stddef.h>

const char *const summand__data_names[] = {"uniform", "ramp", "outlier", NULL};

struct mean {
    enum summand__data_kind kind;
    uint64_t seed;
    int64_t n;
    unsigned __int128
        sum[SUMMAND__THREADS_MOST]; /* integers: the order of addition does not matter */
};

static void add_share(void *context, int t, int threads)
{
    struct mean *m = context;
    unsigned __int128 sum = 0;
    int64_t i = summand__share(m->n, t, threads), end = summand__share(m->n, t + 1, threads);
    while (i < end) {
        uint64_t part = 0; /* of 512 terms below 2^54 */
        int64_t stop = end - i < 512 ? end : i + 512;
        for (; i < stop; i++)
            part += (uint64_t)(int64_t)(summand__datum(m->kind, m->seed, m->n, i) * 0x1p53);
        sum += part;
    }
    m->sum[t] = sum;
}

double summand__data_mean(enum summand__data_kind kind, uint64_t seed, int64_t n, int threads)
{
    struct mean m = {.kind = kind, .seed = seed, .n = n};
    unsigned __int128 sum = 0;
    threads = summand__threads(threads);
    summand__parallel(threads, add_share, &m);
    for (int t = 0; t < threads; t++)
        sum += m.sum[t];
    return (double)((long double)sum / (long double)n * 0x1p-53L);
}
