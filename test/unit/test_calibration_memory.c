/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory part of a calibration: block lengths that fit the time, stores of both kinds that
 * write the same bytes, and prefetch methods. The measurement leaves the process's settings
 * unchanged. */
#include "calibrate/memory.h"
#include "kernel/prefetch.h"
#include "unit/unit.h"

enum { NUMBERS = (128 << 10) / sizeof(double), BYTES = 1 << 20 };

TEST(test_block)
{
    size_t bytes;
    char *block = summand__block_make(0, &bytes);
    assert_non_null(block);
    assert_int_equal(bytes, SUMMAND__BLOCK_LEAST);
    free(block);
    block = summand__block_make(UINT64_MAX, &bytes);
    assert_non_null(block);
    assert_int_equal(bytes, SUMMAND__BLOCK_BYTES);
    assert_true(!block[0] && !block[bytes - 1]);
    free(block);
}

TEST(test_stores)
{
    double *numbers = malloc(NUMBERS * sizeof *numbers);
    char *to[2] = {aligned_alloc(64, BYTES), aligned_alloc(64, BYTES)};
    assert_true(numbers && to[0] && to[1]);
    for (size_t i = 0; i < NUMBERS; i++)
        numbers[i] = (double)(i % 1009) + 1;
    for (int use = 0; use < SUMMAND__STREAM_USES; use++) {
        const enum summand__stream_use one = (enum summand__stream_use)use;
        summand__stream_set(one, 61);
        for (int kind = 0; kind < 2; kind++) {
            memset(to[kind], 0, BYTES);
            assert_true(summand__store_time(one, kind, to[kind], BYTES, numbers) > 0);
            for (size_t i = 0; i < BYTES; i += sizeof(double))
                assert_true(*(const double *)(const void *)(to[kind] + i) > 0);
        }
        assert_memory_equal(to[0], to[1], BYTES);
        assert_int_equal(summand__stream_percent(one), 61);
    }
    free(numbers);
    free(to[0]);
    free(to[1]);
}

TEST(test_fetching)
{
    size_t bytes;
    double *block = summand__block_make(0, &bytes);
    assert_non_null(block);
    summand__prefetch_set(summand__prefetch_ways[2].first);
    assert_int_equal(summand__best_prefetch(block, 0), summand__prefetch_ways[0].first);
    int64_t best = summand__best_prefetch(block, UINT64_MAX);
    bool known = false;
    for (int w = 0; w < SUMMAND__PREFETCH_WAYS; w++)
        known = known || summand__prefetch_ways[w].first == best;
    assert_true(known);
    assert_int_equal(summand__prefetch_first, summand__prefetch_ways[2].first);
    free(block);
}
