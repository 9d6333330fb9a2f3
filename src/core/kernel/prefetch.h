/* SPDX-License-Identifier: BSD-3-Clause */
/* Prefetching for sums, in addition to the hardware's own.
 *
 * Data in the second-level cache are fetched into the first-level one. For data in memory,
 * processors differ (docs/results/one_core.md). Far ahead is best on a Zen 5, but costs a sixth on
 * a Zen 4, which is best left alone, and a fifth on a Xeon. So a measurement sets the distances. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SUMMAND__PREFETCH_FAR = 2 << 20, /* bytes that exceed a second-level cache */
    SUMMAND__PREFETCH_LINE = 64,
    SUMMAND__PREFETCH_WAYS = 3
};

/* Bytes ahead of the current read from memory, into the first-level cache and into the second. */
struct summand__prefetch_way {
    uint32_t first, second;
};

/* The first one is the default: good on several processors, best on few. */
extern const struct summand__prefetch_way summand__prefetch_ways[SUMMAND__PREFETCH_WAYS];

/* Sets the distances whose first one is nearest to `first`, for the whole process. */
void summand__prefetch_set(int64_t first);

extern _Atomic(uint32_t) summand__prefetch_first, summand__prefetch_second;

/* Prefetches the line some distance after p + byte. The distance is added to the address, because
 * no pointer may point far past the end; prefetching there causes no fault. `far` is a constant in
 * all inlined copies. */
static inline __attribute__((always_inline)) void summand__prefetch(const void *p, size_t byte,
                                                                    bool far)
{
    const uintptr_t at = (uintptr_t)p + byte;
    if (!far) {
        __builtin_prefetch((const void *)(at + 4096), 0, 3);
        return;
    }
    __builtin_prefetch(
        (const void *)(at + atomic_load_explicit(&summand__prefetch_first, memory_order_relaxed)),
        0, 3);
    __builtin_prefetch(
        (const void *)(at + atomic_load_explicit(&summand__prefetch_second, memory_order_relaxed)),
        0, 2);
}
