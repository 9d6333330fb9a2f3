/* SPDX-License-Identifier: BSD-3-Clause */
/* A loop shared by threads. */
#pragma once

#include <stdint.h>

enum { SUMMAND__THREADS_MOST = 64 };

/* Threads to use: `asked`, or all processors if asked is 0. */
int summand__threads(int asked);
/* Runs work(context, t, threads) for t = 0..threads-1; returns when all are done. If a thread
 * cannot be started, the caller does its share. */
void summand__parallel(int threads, void (*work)(void *context, int t, int threads), void *context);

/* Share t of 0..n-1: from first(t) to first(t + 1). */
static inline int64_t summand__share(int64_t n, int t, int threads)
{
    return (int64_t)((__int128)n * t / threads);
}
