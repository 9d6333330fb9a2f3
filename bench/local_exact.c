/* SPDX-License-Identifier: BSD-3-Clause */
/* Speed of exact sums on one core, as the ratio of their time to that of the fast-math loop.
 *     bench-local-exact [--kinds | --hostile] [ROUNDS [FILE.binpsllh]]
 * Default: the sum of doubles, also against the plain loop. --kinds: every kind and both types.
 * --hostile: data that do not fit the fast pass, as a ratio to the same sum of ordinary data. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <summand/exact.h>

#include "bench/baseline.h"
#include "bench/machine.h"
#include "bench/measure.h"
#include "kernel/arch.h"

enum { ARCHS = SUMMAND__ARCHS, HOSTILE = 4 };

struct work {
    const void *x, *y;
    size_t n;
    int kind;
    enum summand__arch arch;
};

/* Before the clock: its time is that of tens of numbers. */
static void force(const void *context)
{
    const struct work *w = context;
    summand__arch_force(w->arch);
}

static double run_fast_sum(const void *context)
{
    const struct work *w = context;
    return baseline_fast_sum_f64(w->x, w->n);
}

static double run_plain_sum(const void *context)
{
    const struct work *w = context;
    return baseline_plain_sum_f64(w->x, w->n);
}

static double run_exact_sum(const void *context)
{
    const struct work *w = context;
    return summand_exact_sum(w->n, w->x);
}

static double run_exact_add(const void *context)
{
    const struct work *w = context;
    summand_exact acc;
    summand_exact_init(&acc);
    summand_exact_add(&acc, w->n, w->x);
    return summand_exact_round(&acc);
}

static double run_fast_kind(const void *context)
{
    const struct work *w = context;
    switch (w->kind) {
    case 0:
        return baseline_fast_sum_f64(w->x, w->n);
    case 1:
        return baseline_fast_asum_f64(w->x, w->n);
    case 2:
        return baseline_fast_squares_f64(w->x, w->n);
    case 3:
        return baseline_fast_dot_f64(w->x, w->y, w->n);
    case 4:
        return (double)baseline_fast_sum_f32(w->x, w->n);
    case 5:
        return (double)baseline_fast_asum_f32(w->x, w->n);
    case 6:
        return (double)baseline_fast_squares_f32(w->x, w->n);
    default:
        return (double)baseline_fast_dot_f32(w->x, w->y, w->n);
    }
}

static double run_exact_kind(const void *context)
{
    const struct work *w = context;
    summand_exact acc;
    summand_exact_init(&acc);
    switch (w->kind) {
    case 0:
        return summand_exact_sum(w->n, w->x);
    case 1:
        summand_exact_add_abs(&acc, w->n, w->x);
        break;
    case 2:
        summand_exact_add_squares(&acc, w->n, w->x);
        break;
    case 3:
        return summand_exact_dot(w->n, w->x, w->y);
    case 4:
        summand_exact_add_f32(&acc, w->n, w->x);
        break;
    case 5:
        summand_exact_add_abs_f32(&acc, w->n, w->x);
        break;
    case 6:
        summand_exact_add_squares_f32(&acc, w->n, w->x);
        break;
    default:
        summand_exact_add_products_f32(&acc, w->n, w->x, w->y);
    }
    return summand_exact_round(&acc);
}

/* Shows the seconds of each subject over those of subject `base` in the same round. */
static void show(const struct measure_subject *subjects, int count, int base, int rounds, size_t n)
{
    if (n > 1u << 22)
        rounds = rounds / 4 + 5;
    double *seconds = malloc((size_t)(count * rounds) * sizeof *seconds);
    if (!seconds)
        abort();
    measure_rounds(subjects, count, rounds, 40000 / n + 1, seconds);
    for (int s = 0; s < count; s++) {
        const double *own = seconds + s * rounds;
        const struct measure_interval t = measure_median(own, rounds);
        const struct measure_interval r = measure_ratio(own, seconds + base * rounds, rounds);
        printf("%10zu  %-24s %12.4f us  %8.4f ns/element  %7.3f  [%.3f, %.3f]\n", n,
               subjects[s].name, 1e6 * t.median, 1e9 * t.median / (double)n, r.median, r.low,
               r.high);
    }
    fflush(stdout);
    free(seconds);
}

static void show_sums(const double *x, size_t n, int rounds)
{
    struct work works[2 * ARCHS + 2];
    struct measure_subject subjects[2 * ARCHS + 2];
    static char names[2 * ARCHS][32];
    int count = 2;
    works[0] = works[1] = (struct work){.x = x, .n = n};
    subjects[0] = (struct measure_subject){"fast-math loop", run_fast_sum, &works[0]};
    subjects[1] = (struct measure_subject){"plain loop", run_plain_sum, &works[1]};
    for (int a = 0; a < 2 * ARCHS; a++) {
        const enum summand__arch arch = (enum summand__arch)(a / 2);
        if (!summand__arch_supported(arch))
            continue;
        snprintf(names[a], sizeof names[a], "%s %s", summand__arch_name(arch),
                 a % 2 ? "accumulator" : "one call");
        works[count] = (struct work){.x = x, .n = n, .arch = arch};
        subjects[count] = (struct measure_subject){names[a], a % 2 ? run_exact_add : run_exact_sum,
                                                   &works[count]};
        count++;
    }
    show(subjects, count, 0, rounds, n);
}

static void show_kinds(const double *x, const float *single, size_t n, int rounds)
{
    static const char *const kinds[8] = {"sum f64", "asum f64", "squares f64", "dot f64",
                                         "sum f32", "asum f32", "squares f32", "dot f32"};
    for (int k = 0; k < 8; k++) {
        struct work works[ARCHS + 1];
        struct measure_subject subjects[ARCHS + 1];
        static char names[ARCHS][32];
        int count = 1;
        const void *a = k < 4 ? (const void *)x : single;
        const void *b = k < 4 ? (const void *)(x + n) : single + n;
        works[0] = (struct work){.x = a, .y = b, .n = n, .kind = k};
        subjects[0] = (struct measure_subject){kinds[k], run_fast_kind, &works[0]};
        for (int arch = 0; arch < ARCHS; arch++) {
            if (!summand__arch_supported((enum summand__arch)arch))
                continue;
            snprintf(names[arch], sizeof names[arch], "  %s", summand__arch_name(arch));
            works[count] = works[0];
            works[count].arch = (enum summand__arch)arch;
            subjects[count] = (struct measure_subject){names[arch], run_exact_kind, &works[count]};
            count++;
        }
        show(subjects, count, 0, rounds, n);
    }
}

static uint64_t random_u64(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static double random_unit(void)
{
    return (double)(random_u64() >> 11) * 0x1p-53;
}

/* Makes data that do not fit the fast pass from ordinary data. */
static void make_hostile(int how, const double *x, double *out, size_t n)
{
    const size_t block = 2048;
    double scale = 1;
    for (size_t i = 0; i < n; i++) {
        if (i % block == 0)
            scale = how == 0 ? ldexp(1, (int)(random_u64() % 600) - 300) : 1;
        out[i] = x[i] * scale;
        if (how == 1 && i % block == 0)
            out[i] *= 0x1p400;
        if (how == 2)
            out[i] = ldexp(x[i], i & 1 ? 100 : -100);
        if (how == 3)
            out[i] = ldexp(x[i], (int)(random_u64() % 1800) - 900);
    }
}

static void show_hostile(const double *x, size_t n, int rounds)
{
    static const char *const names[HOSTILE] = {"range changes per block", "outlier per block",
                                               "two ranges mixed", "all exponents mixed"};
    double *spoilt = malloc(n * sizeof *spoilt);
    if (!spoilt)
        abort();
    for (int a = 0; a < ARCHS; a++)
        for (int how = 0; how < HOSTILE && summand__arch_supported((enum summand__arch)a); how++) {
            const struct work works[2] = {{.x = x, .n = n, .arch = (enum summand__arch)a},
                                          {.x = spoilt, .n = n, .arch = (enum summand__arch)a}};
            const struct measure_subject subjects[2] = {
                {summand__arch_name((enum summand__arch)a), run_exact_sum, &works[0]},
                {names[how], run_exact_sum, &works[1]}};
            make_hostile(how, x, spoilt, n);
            show(subjects, 2, 0, rounds / 2 + 3, n);
        }
    free(spoilt);
}

static void generate(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) /* similar to per-site log-likelihoods */
        x[i] = -exp(9.0 * random_unit() - 4.5);
}

/* Repeats the values of a file of per-site log-likelihoods. */
static void read_file(const char *path, double *x, size_t n)
{
    uint64_t count = 0;
    FILE *file = fopen(path, "rb");
    if (!file || fread(&count, sizeof count, 1, file) != 1 || !count || count > n ||
        fread(x, sizeof *x, count, file) != count) {
        fprintf(stderr, "bench-local-exact: cannot read '%s'\n", path);
        exit(1);
    }
    fclose(file);
    for (size_t i = count; i < n; i++)
        x[i] = x[i - count];
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {32,      48,      64,      100,     200,     460,     1602,
                                   1 << 12, 1 << 15, 1 << 16, 1 << 18, 1 << 20, 1 << 24, 1 << 26};
    const bool kinds = argc > 1 && !strcmp(argv[1], "--kinds");
    const bool hostile = argc > 1 && !strcmp(argv[1], "--hostile");
    const int at = 1 + (kinds || hostile);
    const int rounds = argc > at ? atoi(argv[at]) : 100;
    const size_t largest = (size_t)1 << 26;
    double *x = malloc(2 * largest * sizeof *x);
    float *single = malloc(2 * largest * sizeof *single);
    if (!x || !single || rounds < 1)
        return 1;
    bench_prefetch_as_calibrated();
    measure_before(force);
    generate(x, 2 * largest);
    if (argc > at + 1)
        read_file(argv[at + 1], x, 2 * largest);
    for (size_t i = 0; i < 2 * largest; i++)
        single[i] = (float)x[i];
    printf("         n  what                           median                          ratio  "
           "[95 %% interval]\n");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t n = sizes[s];
        if (kinds && (n == 64 || n == 1602 || n == 1 << 16 || n == 1 << 24))
            show_kinds(x, single, n, rounds);
        else if (hostile && (n == 1 << 16 || n == 1 << 24))
            show_hostile(x, n, rounds);
        else if (!kinds && !hostile)
            show_sums(x, n, rounds);
    }
    free(x);
    free(single);
    return 0;
}
