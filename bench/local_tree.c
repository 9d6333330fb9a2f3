/* SPDX-License-Identifier: BSD-3-Clause */
/* Speed of the index tree on one core, as the ratio of its time to that of the fast-math loop.
 *     bench-local-tree [--kinds] [--offset BYTES] [ROUNDS]
 * Default: the sum of doubles by every instruction set. --kinds: every kind and both types, against
 * the fast-math loop of the same work (MIN, MAX and PROD: against the sum). --offset: start of the
 * data after a multiple of 64 bytes; malloc gives 16 for large arrays. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/baseline.h"
#include "bench/machine.h"
#include "bench/measure.h"
#include "kernel/arch.h"
#include "kernel/forest.h"
#include "shape/dyadic.h"

struct work {
    const void *x, *y;
    size_t n;
    enum summand__tree_kind kind;
    enum summand__arch arch;
};

/* Before the clock: its time is that of tens of numbers. */
static void force(const void *context)
{
    const struct work *w = context;
    summand__arch_force(w->arch);
}

typedef double run(const void *context);

#define RUN(name, call)                                                                            \
    static double run_##name(const void *context)                                                  \
    {                                                                                              \
        const struct work *w = context;                                                            \
        return call;                                                                               \
    }
RUN(plain, baseline_plain_sum_f64(w->x, w->n))
RUN(sum_f64, baseline_fast_sum_f64(w->x, w->n))
RUN(asum_f64, baseline_fast_asum_f64(w->x, w->n))
RUN(squares_f64, baseline_fast_squares_f64(w->x, w->n))
RUN(dot_f64, baseline_fast_dot_f64(w->x, w->y, w->n))
RUN(sum_f32, (double)baseline_fast_sum_f32(w->x, w->n))
RUN(asum_f32, (double)baseline_fast_asum_f32(w->x, w->n))
RUN(squares_f32, (double)baseline_fast_squares_f32(w->x, w->n))
RUN(dot_f32, (double)baseline_fast_dot_f32(w->x, w->y, w->n))

/* The tree as its definition reads (Stelz 2022, 2.1): the baseline of footnote 1 of its chapter 3.
 */
static double recursive(const double *x, size_t n, size_t at, int level)
{
    if (!level)
        return x[at];
    const size_t right = at + ((size_t)1 << (level - 1));
    const double left = recursive(x, n, at, level - 1);
    return right < n ? left + recursive(x, n, right, level - 1) : left;
}

static double run_recursive(const void *context)
{
    const struct work *w = context;
    int levels = 0;
    while ((size_t)1 << levels < w->n)
        levels++;
    return recursive(w->x, w->n, 0, levels);
}

static double run_tree_f64(const void *context)
{
    const struct work *w = context;
    double values[SUMMAND__DYADIC_MAX];
    size_t n = summand__forest_f64(w->kind, w->x, w->y, 0, w->n, values);
    return summand__tree_fold_f64(w->kind, values, n);
}

static double run_tree_f32(const void *context)
{
    const struct work *w = context;
    float values[SUMMAND__DYADIC_MAX];
    size_t n = summand__forest_f32(w->kind, w->x, w->y, 0, w->n, values);
    return (double)summand__tree_fold_f32(w->kind, values, n);
}

/* Shows the time of each subject and its ratio to that of the first. */
static void show(const struct measure_subject *subjects, int count, int rounds, size_t n,
                 size_t bytes)
{
    if (bytes > 1u << 24)
        rounds = rounds / 4 + 5;
    double *seconds = malloc((size_t)(count * rounds) * sizeof *seconds);
    if (!seconds)
        abort();
    measure_rounds(subjects, count, rounds, ((size_t)1 << 22) / bytes + 1, seconds);
    for (int s = 0; s < count; s++) {
        struct measure_interval t = measure_median(seconds + s * rounds, rounds);
        struct measure_interval r = measure_ratio(seconds + s * rounds, seconds, rounds);
        printf("%10zu  %-16s %10.3f us  %7.1f GB/s  %6.3f  [%.3f, %.3f]\n", n, subjects[s].name,
               1e6 * t.median, (double)bytes / t.median * 1e-9, r.median, r.low, r.high);
    }
    fflush(stdout);
    free(seconds);
}

static void show_sums(const char *x, int rounds)
{
    static const size_t sizes[] = {64,      128,     256,     460,     1 << 10, 1602,   1 << 12,
                                   1 << 14, 1 << 16, 1 << 20, 1 << 24, 1 << 26, 1 << 27};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct work loop = {.x = x, .n = sizes[i]}, works[SUMMAND__ARCHS];
        struct measure_subject subjects[SUMMAND__ARCHS + 3] = {
            {"fast-math loop", run_sum_f64, &loop},
            {"plain loop", run_plain, &loop},
            {"recursive tree", run_recursive, &loop}};
        int count = 3;
        for (int a = 0; a < SUMMAND__ARCHS; a++) {
            enum summand__arch arch = (enum summand__arch)a;
            works[a] = (struct work){x, NULL, sizes[i], SUMMAND__TREE_SUM, arch};
            if (summand__arch_supported(arch))
                subjects[count++] =
                    (struct measure_subject){summand__arch_name(arch), run_tree_f64, &works[a]};
        }
        show(subjects, count, rounds, sizes[i], sizes[i] * sizeof(double));
    }
}

static void show_kinds(const void *x64, const void *x32, int rounds)
{
    static const size_t sizes[] = {1 << 12, 1 << 16, 1 << 24};
    static const char *const names[2][SUMMAND__TREE_KINDS] = {
        {"sum f64", "asum f64", "squares f64", "dot f64", "min f64", "max f64", "prod f64"},
        {"sum f32", "asum f32", "squares f32", "dot f32", "min f32", "max f32", "prod f32"}};
    static run *const loops[2][SUMMAND__TREE_KINDS] = {
        {run_sum_f64, run_asum_f64, run_squares_f64, run_dot_f64, run_sum_f64, run_sum_f64,
         run_sum_f64},
        {run_sum_f32, run_asum_f32, run_squares_f32, run_dot_f32, run_sum_f32, run_sum_f32,
         run_sum_f32}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int f = 0; f < 2; f++)
            for (int k = 0; k < SUMMAND__TREE_KINDS; k++) {
                size_t bytes = sizes[i] * (f ? sizeof(float) : sizeof(double));
                const char *x = f ? x32 : x64;
                struct work w = {x, x + bytes, sizes[i], (enum summand__tree_kind)k,
                                 summand__arch()};
                struct measure_subject subjects[] = {
                    {"fast-math loop", loops[f][k], &w},
                    {names[f][k], f ? run_tree_f32 : run_tree_f64, &w}};
                show(subjects, 2, rounds, sizes[i], bytes * (k == SUMMAND__TREE_DOT ? 2 : 1));
            }
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"kinds", no_argument, NULL, 'k'}, {"offset", required_argument, NULL, 'o'}, {0}};
    size_t numbers = ((size_t)1 << 27) + 8, offset = 16;
    bool kinds = false;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == '?')
            return 2;
        if (c == 'k')
            kinds = true;
        else
            offset = strtoul(optarg, NULL, 10) / 8 * 8 % 64;
    }
    measure_before(force);
    int rounds = optind < argc ? atoi(argv[optind]) : 100;
    char *block = aligned_alloc(64, numbers * sizeof(double));
    float *x32 = aligned_alloc(64, numbers / 2 * sizeof *x32);
    if (!block || !x32 || rounds < 1)
        return 1;
    double *x = (double *)(block + offset);
    for (size_t i = 0; i < numbers - 8; i++)
        x[i] = -1.0 - (double)(i * 2654435761u % 1000003u) * 1e-5; /* similar to log-likelihoods */
    for (size_t i = 0; i < numbers / 2; i++)
        x32[i] = (float)x[i] / 8; /* else the product overflows at once */
    bench_prefetch_as_calibrated();
    printf("data begin %zu bytes after a multiple of 64\n"
           "         n  method                 median       speed   ratio  [95 %% interval]\n",
           offset);
    if (kinds)
        show_kinds(x, (const char *)x32 + offset, rounds);
    else
        show_sums((const char *)x, rounds);
    free(block);
    free(x32);
    return 0;
}
