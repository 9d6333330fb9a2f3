/* How fast the index tree is on one core, as the ratio of its time to that of the fast-math loop.
 *     bench-local-tree [--kinds] [ROUNDS]
 * Default: the sum of doubles; --kinds: every kind and both types at two sizes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline.h"
#include "kernel/arch.h"
#include "kernel/forest.h"
#include "measure.h"
#include "shape/dyadic.h"

struct work {
    const void *x, *y;
    size_t n;
    enum summand__tree_kind kind;
    enum summand__arch arch;
};

static double run_fast(const void *context)
{
    const struct work *w = context;
    return baseline_fast_sum_f64(w->x, w->n);
}

static double run_plain(const void *context)
{
    const struct work *w = context;
    return baseline_plain_sum_f64(w->x, w->n);
}

static double run_tree_f64(const void *context)
{
    const struct work *w = context;
    double values[SUMMAND__DYADIC_MAX];
    summand__arch_force(w->arch);
    size_t n = summand__forest_f64(w->kind, w->x, w->y, 0, w->n, values);
    return summand__tree_fold_f64(w->kind, values, n);
}

static double run_tree_f32(const void *context)
{
    const struct work *w = context;
    float values[SUMMAND__DYADIC_MAX];
    summand__arch_force(w->arch);
    size_t n = summand__forest_f32(w->kind, w->x, w->y, 0, w->n, values);
    return summand__tree_fold_f32(w->kind, values, n);
}

/* Seconds of [subject 0] over those of each other subject, from rounds of at least 0.2 ms each. */
static void show(const struct measure_subject *subjects, int count, int rounds, size_t n,
                 size_t element)
{
    double *seconds = malloc((size_t)(count * rounds) * sizeof *seconds);
    if (!seconds)
        abort();
    size_t calls = 40000 / n + 1;
    measure_rounds(subjects, count, rounds, calls, seconds);
    for (int s = 0; s < count; s++) {
        struct measure_interval t = measure_median(seconds + s * rounds, rounds);
        struct measure_interval r = measure_ratio(seconds + s * rounds, seconds, rounds);
        printf("%10zu  %-16s %10.3f us  %7.1f GB/s  %6.3f  [%.3f, %.3f]\n", n, subjects[s].name,
               1e6 * t.median, (double)(n * element) / t.median * 1e-9, r.median, r.low, r.high);
    }
    fflush(stdout);
    free(seconds);
}

static int rounds_for(size_t n, int rounds)
{
    return n > 1u << 22 ? rounds / 4 + 5 : rounds;
}

static void show_sums(const double *x, size_t n, int rounds)
{
    struct work works[SUMMAND__ARCHS + 2];
    struct measure_subject subjects[SUMMAND__ARCHS + 2];
    int count = 0;
    works[0] = works[1] = (struct work){.x = x, .n = n};
    subjects[count++] = (struct measure_subject){"fast-math loop", run_fast, &works[0]};
    subjects[count++] = (struct measure_subject){"plain loop", run_plain, &works[1]};
    for (int a = 0; a < SUMMAND__ARCHS; a++) {
        if (!summand__arch_supported((enum summand__arch)a))
            continue;
        works[count] = (struct work){x, x, n, SUMMAND__TREE_SUM, (enum summand__arch)a};
        subjects[count] = (struct measure_subject){summand__arch_name((enum summand__arch)a),
                                                   run_tree_f64, &works[count]};
        count++;
    }
    show(subjects, count, rounds_for(n, rounds), n, sizeof *x);
}

static void show_kinds(const double *x, size_t n, int rounds)
{
    static const char *const names[2][SUMMAND__TREE_KINDS] = {
        {"sum f64", "asum f64", "squares f64", "dot f64", "min f64", "max f64", "prod f64"},
        {"sum f32", "asum f32", "squares f32", "dot f32", "min f32", "max f32", "prod f32"}};
    struct work works[2 * SUMMAND__TREE_KINDS + 1];
    struct measure_subject subjects[2 * SUMMAND__TREE_KINDS + 1];
    int count = 0;
    works[count] = (struct work){.x = x, .n = n};
    subjects[count++] = (struct measure_subject){"fast-math loop", run_fast, &works[0]};
    for (int f = 0; f < 2; f++)
        for (int k = 0; k < SUMMAND__TREE_KINDS; k++, count++) {
            works[count] = (struct work){x, x + n, n, (enum summand__tree_kind)k, summand__arch()};
            subjects[count] = (struct measure_subject){names[f][k], f ? run_tree_f32 : run_tree_f64,
                                                       &works[count]};
        }
    show(subjects, count, rounds_for(n, rounds), n, sizeof *x);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {460,     1 << 10, 1602,    1 << 12, 1 << 14,
                                   1 << 16, 1 << 20, 1 << 24, 1 << 26};
    bool kinds = argc > 1 && !strcmp(argv[1], "--kinds");
    int rounds = argc > 1 + kinds ? atoi(argv[1 + kinds]) : 200;
    size_t largest = (size_t)1 << 26;
    double *x = malloc(largest * sizeof *x);
    if (!x || rounds < 1)
        return 1;
    /* Alike to per-site log-likelihoods; also harmless when two of them are read as floats. */
    for (size_t i = 0; i < largest; i++)
        x[i] = -1.0 - (double)(i * 2654435761u % 1000003u) * 1e-5;
    printf("         n  method                 median       speed   ratio  [95 %% interval]\n");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        if (!kinds)
            show_sums(x, sizes[s], rounds);
        else if (sizes[s] == 1 << 12 || sizes[s] == 1 << 24)
            show_kinds(x, sizes[s], rounds);
    }
    free(x);
    return 0;
}
