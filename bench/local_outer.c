/* SPDX-License-Identifier: BSD-3-Clause */
/* Speed of sums of outer products on one core, as a multiple of memset of G and of one or more
 * BLAS, in the same rounds.
 *     bench-local-outer [--type NAME] [--rows N] [--columns M] [--ld LDG] [--beta BETA]
 *                       [--symmetric] [--plain-stores] [--processor-time]
 *                       [--blas LIBRARY]... [--pairs L]... [ROUNDS]
 * Default: f64, 4000 x 4000, 1 to 512 pairs, and Debian's OpenBLAS and BLIS if they are installed.
 * It loads these libraries when it runs, so the build does not need them. Each runs on one thread.
 * --symmetric: b is a, and M is N. G's pages are touched before. Numbers of 16 bits are compared
 * with the BLAS's sgemm of the same numbers as floats. --processor-time: not by the clock, for a
 * machine with much other load. */
#include <dlfcn.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "bench/need.h"
#include "compute/outer.h"
#include "kernel/arch.h"

enum { MOST_LIBRARIES = 8, MOST_CASES = 32, ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 };

typedef void dgemm(int order, int trans_a, int trans_b, int m, int n, int k, double alpha,
                   const double *a, int lda, const double *b, int ldb, double beta, double *c,
                   int ldc);
typedef void sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                   const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);

struct library {
    const char *name;
    dgemm *f64;
    sgemm *f32;
};

struct work {
    enum summand__outer_type type;
    struct summand__outer outer;
    size_t rows;
    const void *wide_a, *wide_b; /* factors in the BLAS's type */
    struct library library;
};

static double run_ours(const void *context)
{
    const struct work *w = context;
    summand__outer_run_in_order(w->type, &w->outer, w->rows, 0, w->rows);
    return *(const char *)w->outer.g;
}

static double run_memset(const void *context)
{
    const struct work *w = context;
    const size_t size = summand__outer_result_size(w->type);
    for (size_t i = 0; i < (w->outer.ldg == w->outer.columns ? 1 : w->rows); i++)
        memset((char *)w->outer.g + i * w->outer.ldg * size, 0,
               w->outer.columns * size * (w->outer.ldg == w->outer.columns ? w->rows : 1));
    return *(const char *)w->outer.g;
}

static double run_blas(const void *context)
{
    const struct work *w = context;
    const struct summand__outer *o = &w->outer;
    if (w->type == SUMMAND__OUTER_F64)
        w->library.f64(ROW_MAJOR, TRANSPOSED, PLAIN, (int)w->rows, (int)o->columns, (int)o->pairs,
                       o->alpha, w->wide_a, (int)o->lda, w->wide_b, (int)o->ldb, o->beta, o->g,
                       (int)o->ldg);
    else
        w->library.f32(ROW_MAJOR, TRANSPOSED, PLAIN, (int)w->rows, (int)o->columns, (int)o->pairs,
                       (float)o->alpha, w->wide_a, (int)o->lda, w->wide_b, (int)o->ldb,
                       (float)o->beta, o->g, (int)o->ldg);
    return *(const char *)o->g;
}

/* Small numbers that all types hold exactly: -8 .. 8 in steps of 1/8. */
static double number(size_t i)
{
    return (double)(i * 2654435761u % 129u) / 8 - 8;
}

static uint16_t half(enum summand__outer_type type, double value)
{
    float x = (float)value;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (type == SUMMAND__OUTER_BF16)
        return (uint16_t)(bits >> 16);
    return (uint16_t)((bits >> 16 & 0x8000) |
                      (bits & 0x7fffffff ? (bits & 0x7fffffff) - (112u << 23) : 0) >> 13);
}

static void *factors(enum summand__outer_type type, size_t count)
{
    void *block =
        need(aligned_alloc(64, (count * summand__outer_factor_size(type) + 127) / 64 * 64));
    for (size_t i = 0; i < count; i++)
        if (type == SUMMAND__OUTER_F64)
            ((double *)block)[i] = number(i);
        else if (type == SUMMAND__OUTER_F32)
            ((float *)block)[i] = (float)number(i);
        else
            ((uint16_t *)block)[i] = half(type, number(i));
    return block;
}

static void show(const struct work *work, const struct library *libraries, int count, int rounds)
{
    static const char *const names[] = {"ours", "memset"};
    struct work works[MOST_LIBRARIES];
    struct measure_subject subjects[MOST_LIBRARIES + 2] = {{names[0], run_ours, work},
                                                           {names[1], run_memset, work}};
    double *seconds = need(malloc((size_t)((count + 2) * rounds) * sizeof *seconds));
    for (int l = 0; l < count; l++) {
        works[l] = *work;
        works[l].library = libraries[l];
        subjects[l + 2] = (struct measure_subject){libraries[l].name, run_blas, &works[l]};
    }
    measure_rounds(subjects, count + 2, rounds, 1, seconds);
    const double ours = measure_median(seconds, rounds).median;
    printf("%6zu %9.3f %8.1f", work->outer.pairs, 1e3 * ours,
           2e-9 * (double)work->outer.pairs * (double)work->rows * (double)work->outer.columns /
               ours);
    for (int s = 1; s < count + 2; s++) {
        struct measure_interval r = measure_ratio(seconds + s * rounds, seconds, rounds);
        printf("  %6.2f [%5.2f, %5.2f]", r.median, r.low, r.high);
    }
    printf("\n");
    fflush(stdout);
    free(seconds);
}

static bool load(struct library *library, const char *name)
{
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    const char *slash = strrchr(name, '/');
    if (!handle)
        return false;
    library->name = slash ? slash + 1 : name;
    *(void **)&library->f64 = dlsym(handle, "cblas_dgemm");
    *(void **)&library->f32 = dlsym(handle, "cblas_sgemm");
    return library->f64 && library->f32;
}

struct settings {
    enum summand__outer_type type;
    size_t rows, columns, ldg, pairs[MOST_CASES];
    double beta;
    bool symmetric, plain_stores;
    struct library libraries[MOST_LIBRARIES];
    int cases, n_libraries, rounds;
};

static bool read_type(struct settings *s, const char *name)
{
    for (int t = 0; t < SUMMAND__OUTER_TYPES; t++)
        if (!strcmp(name, summand__outer_type_name((enum summand__outer_type)t))) {
            s->type = (enum summand__outer_type)t;
            return true;
        }
    return false;
}

static bool read_option(struct settings *s, int option, const char *text)
{
    const size_t value = text ? strtoul(text, NULL, 10) : 0;
    switch (option) {
    case 't':
        return read_type(s, text);
    case 'r':
        return (s->rows = value) > 0;
    case 'c':
        return (s->columns = value) > 0;
    case 'd':
        return (s->ldg = value) > 0;
    case 'b':
        s->beta = strtod(text, NULL);
        return true;
    case 'u':
        return s->symmetric = true;
    case 'p':
        return s->plain_stores = true;
    case 'x':
        measure_processor_time();
        return true;
    case 'k':
        if (s->cases < MOST_CASES)
            s->pairs[s->cases++] = value;
        return value > 0;
    case 'l':
        return s->n_libraries < MOST_LIBRARIES && load(&s->libraries[s->n_libraries++], text);
    default:
        return false;
    }
}

static bool read_settings(struct settings *s, int argc, char **argv)
{
    static const struct option options[] = {{"type", required_argument, NULL, 't'},
                                            {"rows", required_argument, NULL, 'r'},
                                            {"columns", required_argument, NULL, 'c'},
                                            {"ld", required_argument, NULL, 'd'},
                                            {"beta", required_argument, NULL, 'b'},
                                            {"symmetric", no_argument, NULL, 'u'},
                                            {"plain-stores", no_argument, NULL, 'p'},
                                            {"pairs", required_argument, NULL, 'k'},
                                            {"blas", required_argument, NULL, 'l'},
                                            {"processor-time", no_argument, NULL, 'x'},
                                            {0}};
    static const size_t pairs[] = {1, 2, 4, 8, 16, 32, 48, 64, 128, 256, 512};
    static const char *const names[] = {"libopenblas.so.0", "libblis.so.4"};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;)
        if (!read_option(s, c, optarg)) {
            fprintf(stderr, "bench-local-outer: cannot use %s\n", optarg ? optarg : "this option");
            return false;
        }
    s->rounds = optind < argc ? atoi(argv[optind]) : 15;
    for (size_t i = 0; !s->cases && i < sizeof pairs / sizeof *pairs; i++)
        s->pairs[i] = pairs[i];
    if (!s->cases)
        s->cases = sizeof pairs / sizeof *pairs;
    for (int i = 0; i < 2 && !s->n_libraries; i++)
        s->n_libraries += load(&s->libraries[s->n_libraries], names[i]);
    return s->rounds > 0;
}

int main(int argc, char **argv)
{
    struct settings s = {.rows = 4000, .columns = 4000};
    /* Before the libraries are loaded, because they read these at that time. */
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("BLIS_NUM_THREADS", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    if (!read_settings(&s, argc, argv))
        return 2;
    s.columns = s.symmetric ? s.rows : s.columns;
    s.ldg = s.ldg ? s.ldg : s.columns;
    const size_t size = summand__outer_result_size(s.type);
    const enum summand__outer_type wide =
        s.type == SUMMAND__OUTER_F64 ? SUMMAND__OUTER_F64 : SUMMAND__OUTER_F32;
    size_t most = 0;
    for (int i = 0; i < s.cases; i++)
        most = s.pairs[i] > most ? s.pairs[i] : most;
    struct work w = {.type = s.type, .rows = s.rows};
    w.outer =
        (struct summand__outer){.a = factors(s.type, most * s.rows),
                                .b = factors(s.type, most * s.columns),
                                .g = need(aligned_alloc(64, s.rows * s.ldg * size / 64 * 64 + 64)),
                                .columns = s.columns,
                                .lda = s.rows,
                                .ldb = s.columns,
                                .ldg = s.ldg,
                                .alpha = 1,
                                .beta = s.beta,
                                .stream = !s.plain_stores};
    if (s.symmetric)
        w.outer.b = w.outer.a;
    w.wide_a = wide == s.type ? w.outer.a : factors(wide, most * s.rows);
    w.wide_b = wide == s.type ? w.outer.b : factors(wide, most * s.columns);
    memset(w.outer.g, 0, s.rows * s.ldg * size);
    printf("%s, %zu x %zu, instruction set %s. Ratios above 1: ours is faster. [95 %% interval]\n",
           summand__outer_type_name(s.type), s.rows, s.columns,
           summand__arch_name(summand__arch()));
    printf(" pairs  ours, ms  Gflop/s  memset / ours        ");
    for (int l = 0; l < s.n_libraries; l++)
        printf("  %s / ours", s.libraries[l].name);
    printf("\n");
    for (int i = 0; i < s.cases; i++) {
        w.outer.pairs = s.pairs[i];
        show(&w, s.libraries, s.n_libraries, s.rounds);
    }
    return 0;
}
