/* SPDX-License-Identifier: BSD-3-Clause */
#include "calibrate/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/backoff.h"
#include "base/registered.h"
#include "kernel/prefetch.h"
#include "kernel/tree.h"

enum {
    SUM_LEVEL = 20,
    SUM_ELEMENTS = 1 << SUM_LEVEL,
    SUM_ROUNDS = 5,
    HUGE_PAGE = 2 << 20,
    WIDE = 1024,   /* doubles in a result's row */
    PIECE = 16384, /* a slot of the transport */
    PIECES = 8     /* number of them in the cache */
};

void *summand__block_make(uint64_t until, size_t *bytes)
{
    char *memory = aligned_alloc(HUGE_PAGE, SUMMAND__BLOCK_BYTES);
    *bytes = 0;
    if (!memory)
        return NULL;
#ifdef MADV_HUGEPAGE /* a fifth of the time of small pages */
    madvise(memory, SUMMAND__BLOCK_BYTES, MADV_HUGEPAGE);
#endif
    while (*bytes < SUMMAND__BLOCK_BYTES &&
           (*bytes < SUMMAND__BLOCK_LEAST || summand__clock() < until)) {
        memset(memory + *bytes, 0, HUGE_PAGE);
        *bytes += HUGE_PAGE;
    }
    return memory;
}

static void write_copies(bool bypassing, void *to, size_t bytes, const void *from)
{
    for (size_t piece = 0; piece < bytes / PIECE; piece++) {
        char *there = (char *)to + piece * PIECE;
        const char *here = (const char *)from + piece % PIECES * PIECE;
        if (bypassing)
            summand__stream_copy(there, here, PIECE);
        else
            summand__copy_bytes(there, here, PIECE);
    }
    if (bypassing)
        summand__stream_fence();
}

static void write_result(bool bypassing, void *to, size_t bytes, const void *from)
{
    if (!summand__registered.product) {
        write_copies(bypassing, to, bytes, from);
        return;
    }
    const struct summand__registered_product product = {.a = from,
                                                        .b = from,
                                                        .g = to,
                                                        .rows = bytes / sizeof(double) / WIDE,
                                                        .columns = WIDE,
                                                        .pairs = 1,
                                                        .stream = true};
    const int64_t before = summand__stream_percent(SUMMAND__STREAM_RESULTS);
    summand__stream_set(SUMMAND__STREAM_RESULTS, bypassing ? 0 : 100);
    summand__registered.product(&product);
    summand__stream_set(SUMMAND__STREAM_RESULTS, before);
}

double summand__store_time(enum summand__stream_use use, bool bypassing, void *to, size_t bytes,
                           const void *from)
{
    static void (*const write[SUMMAND__STREAM_USES])(bool, void *, size_t, const void *) = {
        [SUMMAND__STREAM_RESULTS] = write_result, [SUMMAND__STREAM_COPIES] = write_copies};
    const uint64_t begin = summand__clock();
    write[use](bypassing, to, bytes, from);
    return (double)(summand__clock() - begin) / (double)bytes;
}

/* Flushes the block to memory. False if this processor has no unprivileged instruction for it. */
#if defined(__x86_64__)
/* Flushing lines in order takes 18 ms for 8 MiB on a Xeon (family 6, model 207); the unordered
 * instruction takes 0.4. */
static bool flush(const double *block, size_t n)
{
    unsigned eax, ebx = 0, ecx, edx;
    const bool unordered = __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && ebx & bit_CLFLUSHOPT;
    for (size_t i = 0; i < n; i += SUMMAND__PREFETCH_LINE / sizeof *block)
        if (unordered)
            __asm__ volatile("clflushopt %0" : "+m"(*(volatile char *)(uintptr_t)(block + i)));
        else
            __builtin_ia32_clflush(block + i);
    __builtin_ia32_mfence();
    return true;
}
#else
static bool flush(const double *block, size_t n)
{
    (void)block, (void)n;
    return false;
}
#endif

/* A distance is preferred to earlier ones of the table only if it is faster by more than chance. */
int64_t summand__best_prefetch(double *block, uint64_t until)
{
    static const double better = 0.96;
    summand__tree_f64 *sum = summand__tree_kernels()->f64[SUMMAND__TREE_SUM];
    const struct summand__prefetch_way *ways = summand__prefetch_ways;
    const uint32_t before = atomic_load_explicit(&summand__prefetch_first, memory_order_relaxed);
    double best[SUMMAND__PREFETCH_WAYS], longest = 0;
    int chosen = 0;
    _Static_assert(SUM_ELEMENTS * sizeof(double) <= SUMMAND__BLOCK_LEAST &&
                       SUM_ELEMENTS * sizeof(double) > SUMMAND__PREFETCH_FAR,
                   "a sum from memory, in the block");
    for (int w = 0; w < SUMMAND__PREFETCH_WAYS; w++)
        best[w] = INFINITY;
    for (int i = 0; i < SUM_ROUNDS * SUMMAND__PREFETCH_WAYS; i++) {
        const int w = i % SUMMAND__PREFETCH_WAYS;
        uint64_t flushed = summand__clock();
        if ((double)flushed + 2 * longest > (double)until || !flush(block, SUM_ELEMENTS)) {
            best[0] = i < SUMMAND__PREFETCH_WAYS ? 0 : best[0]; /* not all were tried */
            break;
        }
        summand__prefetch_set(ways[w].first);
        uint64_t begin = summand__clock();
        volatile double result = sum(block, NULL, SUM_LEVEL);
        (void)result;
        best[w] = fmin(best[w], (double)(summand__clock() - begin));
        longest = fmax(longest, (double)(summand__clock() - flushed));
    }
    for (int w = 1; w < SUMMAND__PREFETCH_WAYS; w++)
        if (best[w] < better * best[chosen])
            chosen = w;
    summand__prefetch_set(before);
    return ways[chosen].first;
}
