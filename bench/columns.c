/* SPDX-License-Identifier: BSD-3-Clause */
/* Time of exact column sums, as a ratio to a plain loop over the rows, y[j] += x[i][j].
 *     mpiexec -n 1 bench-columns [--processor-time] [ROUNDS [ROWS COLUMNS [SPREAD]]]
 * SPREAD: binary digits from the smallest to the largest magnitude; 0: uniform in (-1, 1). */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand.h>

#include "bench/measure.h"
#include "bench/need.h"

enum { SUBJECTS = 6 };

struct work {
    const double *x;
    size_t rows, n;
    double *y;
    summand_exact_vector *vector;
    summand_exact *array;
    summand_plan *plan;
};

static double run_plain(const void *context)
{
    const struct work *w = context;
    memset(w->y, 0, w->n * sizeof *w->y);
    for (size_t i = 0; i < w->rows; i++)
        for (size_t j = 0; j < w->n; j++)
            w->y[j] += w->x[i * w->n + j];
    return w->y[0];
}

static double run_call(const void *context)
{
    const struct work *w = context;
    summand_column_sums(w->x, (MPI_Count)w->rows, (MPI_Count)w->n, w->y, (MPI_Count)w->n,
                        MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
    return w->y[0];
}

static double run_plan(const void *context)
{
    const struct work *w = context;
    summand_plan_start(w->plan);
    summand_plan_wait(w->plan);
    return w->y[0];
}

static double run_vector(const void *context)
{
    const struct work *w = context;
    summand_exact_vector_clear(w->vector);
    summand_exact_vector_add(w->vector, w->rows, w->n, w->x);
    summand_exact_vector_round(w->vector, w->y);
    return w->y[0];
}

static double run_rows(const void *context)
{
    const struct work *w = context;
    summand_exact_vector_clear(w->vector);
    for (size_t i = 0; i < w->rows; i++)
        summand_exact_vector_add(w->vector, 1, w->n, w->x + i * w->n);
    summand_exact_vector_round(w->vector, w->y);
    return w->y[0];
}

static double run_array(const void *context)
{
    const struct work *w = context;
    for (size_t j = 0; j < w->n; j++)
        summand_exact_init(&w->array[j]);
    for (size_t i = 0; i < w->rows; i++)
        for (size_t j = 0; j < w->n; j++)
            summand_exact_add(&w->array[j], 1, &w->x[i * w->n + j]);
    for (size_t j = 0; j < w->n; j++)
        w->y[j] = summand_exact_round(&w->array[j]);
    return w->y[0];
}

static void fill(double *x, size_t n, int spread)
{
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < n; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        x[i] = (double)((int64_t)state >> 11) * 0x1p-52;
        if (spread)
            x[i] = ldexp(x[i], -(int)(state % (uint64_t)(spread + 1)));
    }
}

static long number(int argc, char **argv, int place, long by_default)
{
    return place < argc ? strtol(argv[place], NULL, 10) : by_default;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int first = argc > 1 && !strcmp(argv[1], "--processor-time") ? 2 : 1;
    if (first == 2)
        measure_processor_time();
    const int rounds = (int)number(argc, argv, first, 41);
    struct work w = {.rows = (size_t)number(argc, argv, first + 1, 1000),
                     .n = (size_t)number(argc, argv, first + 2, 1000)};
    double *x = need(malloc(w.rows * w.n * sizeof *x));
    fill(x, w.rows * w.n, (int)number(argc, argv, first + 3, 0));
    w.x = x;
    w.y = need(malloc(w.n * sizeof *w.y));
    w.array = need(malloc(w.n * sizeof *w.array));
    w.vector = need(summand_exact_vector_new(w.n));
    summand_column_sums_init(x, (MPI_Count)w.rows, (MPI_Count)w.n, w.y, (MPI_Count)w.n, MPI_DOUBLE,
                             SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL, &w.plan);
    const struct measure_subject subjects[SUBJECTS] = {
        {"plain loop", run_plain, &w},          {"summand_column_sums", run_call, &w},
        {"plan of it", run_plan, &w},           {"vector: all rows in a call", run_vector, &w},
        {"vector: a row a call", run_rows, &w}, {"array of summand_exact", run_array, &w}};
    double *seconds = need(malloc((size_t)(SUBJECTS * rounds) * sizeof *seconds));
    measure_rounds(subjects, SUBJECTS, rounds, 1, seconds);
    for (int s = 0; s < SUBJECTS; s++) {
        const struct measure_interval t = measure_median(seconds + s * rounds, rounds);
        const struct measure_interval r = measure_ratio(seconds + s * rounds, seconds, rounds);
        printf("%-28s %12.1f us  %8.3f  [%.3f, %.3f]\n", subjects[s].name, 1e6 * t.median, r.median,
               r.low, r.high);
    }
    printf("bytes per column: vector %.1f, array %zu\n",
           (double)summand_exact_vector_bytes(w.vector) / (double)w.n, sizeof *w.array);
    summand_plan_free(&w.plan);
    summand_exact_vector_free(&w.vector);
    MPI_Finalize();
    return 0;
}
