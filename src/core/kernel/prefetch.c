/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/prefetch.h"

#include <stdlib.h>

/* 1 KiB with 4: Xeons; 256 bytes, which the hardware has fetched already: Zen 4; 4 KiB: Zen 5. */
const struct summand__prefetch_way summand__prefetch_ways[SUMMAND__PREFETCH_WAYS] = {
    {1024, 4096}, {256, 256}, {4096, 4096}};

_Atomic(uint32_t) summand__prefetch_first = 1024, summand__prefetch_second = 4096;

void summand__prefetch_set(int64_t first)
{
    const struct summand__prefetch_way *best = &summand__prefetch_ways[0];
    for (int w = 1; w < SUMMAND__PREFETCH_WAYS; w++)
        if (llabs(summand__prefetch_ways[w].first - first) < llabs(best->first - first))
            best = &summand__prefetch_ways[w];
    atomic_store_explicit(&summand__prefetch_first, best->first, memory_order_relaxed);
    atomic_store_explicit(&summand__prefetch_second, best->second, memory_order_relaxed);
}
