/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/gossip/parallel.h"

#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

struct share {
    void (*work)(void *context, int t, int threads);
    void *context;
    int t, threads;
};

static void *start(void *argument)
{
    struct share *share = argument;
    share->work(share->context, share->t, share->threads);
    return NULL;
}

int summand__threads(int asked)
{
    long here = asked > 0 ? asked : sysconf(_SC_NPROCESSORS_ONLN);
    return here < 1 ? 1 : here > SUMMAND__THREADS_MOST ? SUMMAND__THREADS_MOST : (int)here;
}

void summand__parallel(int threads, void (*work)(void *context, int t, int threads), void *context)
{
    struct share shares[SUMMAND__THREADS_MOST];
    pthread_t handles[SUMMAND__THREADS_MOST];
    bool started[SUMMAND__THREADS_MOST] = {false};
    for (int t = 1; t < threads; t++) {
        shares[t] = (struct share){work, context, t, threads};
        started[t] = !pthread_create(&handles[t], NULL, start, &shares[t]);
    }
    work(context, 0, threads);
    for (int t = 1; t < threads; t++)
        if (started[t])
            pthread_join(handles[t], NULL);
        else
            work(context, t, threads);
}
