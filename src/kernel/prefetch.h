/* Fetching what a sum reads soon, beside what the hardware fetches by itself.
 *
 * Within the second-level cache, lines go into the first-level one. From memory, where 4 KiB ahead
 * into the first-level cache is best on a Zen 5 and a fifth slower than 1 KiB on a Xeon, they go
 * into the second-level cache first: there every distance from 2 to 16 KiB is as good as any other
 * (docs/performance.md). */
#ifndef SUMMAND_KERNEL_PREFETCH_H
#define SUMMAND_KERNEL_PREFETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SUMMAND__PREFETCH_FAR = 2 << 20, /* bytes that a second-level cache does not hold */
    SUMMAND__PREFETCH_LINE = 64
};

/* The line some way behind p + byte. One past the end is no fault, but no pointer may point there:
 * the distance is added to the address. `far` is a constant wherever this is inlined. */
static inline __attribute__((always_inline)) void summand__prefetch(const void *p, size_t byte,
                                                                    bool far)
{
    const uintptr_t at = (uintptr_t)p + byte;
    __builtin_prefetch((const void *)(at + (far ? 1024 : 4096)), 0, 3);
    if (far)
        __builtin_prefetch((const void *)(at + 4096), 0, 2);
}

#endif
