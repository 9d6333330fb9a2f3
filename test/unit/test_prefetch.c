/* SPDX-License-Identifier: BSD-3-Clause */
/* How far ahead sums prefetch: each method is set by its first distance and those near it, and no
 * bit of a sum depends on it. */
#include "kernel/prefetch.h"
#include "kernel/tree.h"
#include "unit/unit.h"
#include <summand/exact.h>

enum { LEVEL = 19, COUNT = 1 << LEVEL }; /* 4 MiB: beyond SUMMAND__PREFETCH_FAR */

static void check_set(int64_t asked, const struct summand__prefetch_way *way)
{
    summand__prefetch_set(asked);
    assert_int_equal(atomic_load(&summand__prefetch_first), way->first);
    assert_int_equal(atomic_load(&summand__prefetch_second), way->second);
}

TEST(nearest_is_set)
{
    for (int w = 0; w < SUMMAND__PREFETCH_WAYS; w++) {
        const struct summand__prefetch_way *way = &summand__prefetch_ways[w];
        check_set(way->first, way);
        check_set(way->first + 3, way);
        check_set(way->first - 3, way);
    }
    check_set(0, &summand__prefetch_ways[1]); /* the nearest of all */
    check_set(INT64_C(1) << 40, &summand__prefetch_ways[2]);
    check_set(summand__prefetch_ways[0].first, &summand__prefetch_ways[0]);
}

TEST(bits_do_not_depend_on_it)
{
    double *x = malloc(COUNT * sizeof *x), exact[SUMMAND__PREFETCH_WAYS],
           tree[SUMMAND__PREFETCH_WAYS];
    assert_non_null(x);
    for (int i = 0; i < COUNT; i++)
        x[i] = 1.0 / (1 + i % 1009) - 0.3 * (i % 7);
    for (int w = 0; w < SUMMAND__PREFETCH_WAYS; w++) {
        summand__prefetch_set(summand__prefetch_ways[w].first);
        exact[w] = summand_exact_sum(COUNT, x);
        tree[w] = summand__tree_kernels()->f64[SUMMAND__TREE_SUM](x, NULL, LEVEL);
        assert_memory_equal(&exact[w], &exact[0], sizeof *exact);
        assert_memory_equal(&tree[w], &tree[0], sizeof *tree);
    }
    free(x);
}
