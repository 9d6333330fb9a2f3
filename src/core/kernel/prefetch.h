/* SPDX-License-Identifier: BSD-3-Clause */
/* Fetching what a sum reads soon, beside what the hardware fetches by itself.
 *
 * Within the second-level cache, lines go into the first-level one. From memory, processors differ
 * (docs/results/one_core.md): far ahead is best on a Zen 5, and costs a sixth on a Zen 4, where the
 * hardware is best left alone, and a fifth on a Xeon. So the way is set by what was measured. */
#ifndef SUMMAND_KERNEL_PREFETCH_H
#define SUMMAND_KERNEL_PREFETCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SUMMAND__PREFETCH_FAR = 2 << 20, /* bytes that a second-level cache does not hold */
    SUMMAND__PREFETCH_LINE = 64,
    SUMMAND__PREFETCH_WAYS = 3
};

/* Bytes ahead of what is read from memory, into the first-level cache and into the second. */
struct summand__prefetch_way {
    uint32_t first, second;
};

/* The standard one is the first: it is good on several processors and best on few. */
extern const struct summand__prefetch_way summand__prefetch_ways[SUMMAND__PREFETCH_WAYS];

/* The way whose first distance is nearest. For the whole process. */
void summand__prefetch_set(int64_t first);

extern _Atomic(uint32_t) summand__prefetch_first, summand__prefetch_second;

/* The line some way behind p + byte. One past the end is no fault, but no pointer may point there:
 * the distance is added to the address. `far` is a constant wherever this is inlined. */
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

#endif
