/* np: 1; together */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Forests of one bundle, of one range or several: packed, merged and folded, each has the sum of
 * its own elements. */
#include "kernel/forest.h"
#include "mpi/harness.h"
#include "ordered/forest.h"
#include "ordered/number.h"

enum { FORESTS = 5, ELEMENTS = 11, SIGNATURE = 7 };

static struct summand__operator element;
static struct summand__bundle bundle;
static struct summand__operator whole;

static void *make(void)
{
    void *memory = malloc(summand__bundle_extent(&bundle));
    if (!memory)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(memory, 0x5c, summand__bundle_extent(&bundle));
    return memory;
}

/* Forest i covers elements begin[i] up to end[i]; its element j is (i + 1) * j. */
static void *plant(const uint64_t *begin, const uint64_t *end)
{
    void *memory = make();
    summand__bundle_begin(&bundle, memory);
    for (size_t i = 0; i < FORESTS; i++) {
        double x[ELEMENTS], values[SUMMAND__DYADIC_MAX];
        const size_t count = (size_t)(end[i] - begin[i]);
        char *place = summand__bundle_place(&bundle, memory, i, begin[i], count);
        for (size_t j = 0; j < count; j++)
            x[j] = (double)((i + 1) * (begin[i] + j));
        size_t n = summand__forest_f64(SUMMAND__TREE_SUM, x, NULL, begin[i], count, values);
        for (size_t v = 0; v < n && count; v++)
            memcpy(place + v * FORESTS * sizeof(double), &values[v], sizeof(double));
    }
    return memory;
}

/* The left forests, as they arrive from another rank. */
static void *send(void *memory)
{
    void *bytes = malloc(whole.packed), *arrived = make();
    if (!bytes)
        MPI_Abort(MPI_COMM_WORLD, 1);
    whole.pack(whole.context, memory, 1, bytes);
    whole.unpack(whole.context, bytes, arrived, 1);
    free(bytes);
    free(memory);
    return arrived;
}

static void test_cuts(const uint64_t *cut)
{
    const uint64_t zero[FORESTS] = {0};
    uint64_t all[FORESTS];
    for (int i = 0; i < FORESTS; i++)
        all[i] = ELEMENTS;
    void *left = send(plant(zero, cut)), *right = plant(cut, all);
    whole.reduce(whole.context, left, right, 1);
    CHECK(!summand__bundle_head(right)->error_flag, "cuts at %d, ..", (int)cut[0]);
    summand__bundle_fold(&bundle, right);
    for (size_t i = 0; i < FORESTS; i++) {
        double sum = -1;
        const void *root = summand__bundle_root(&bundle, right, i);
        if (root)
            memcpy(&sum, root, sizeof sum);
        CHECK(sum == (double)((i + 1) * (ELEMENTS * (ELEMENTS - 1) / 2)),
              "forest %zu cut at %d: %g", i, (int)cut[i], sum);
    }
    free(left);
    free(right);
}

TESTS
{
    static const uint64_t cuts[][FORESTS] = {{4, 4, 4, 4, 4},   {4, 4, 4, 4, 5}, {4, 5, 5, 4, 4},
                                             {5, 4, 4, 4, 4},   {0, 0, 0, 0, 0}, {0, 7, 7, 0, 1},
                                             {11, 11, 3, 3, 11}};
    element = summand__number_operator(SUMMAND__TREE_SUM, false, false);
    summand__bundle_init(&bundle, FORESTS, SIGNATURE, &element, 0, 0);
    whole = summand__bundle_operator(&bundle);
    for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++)
        test_cuts(cuts[c]);
}
