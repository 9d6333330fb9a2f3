/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures 9 and 10: rounds of HPS over N; error: the largest over all ranks, as in equation 1. */
#include "cli/study/experiment.h"

#include "lab/gossip/bulk.h"
#include "lab/gossip/interval.h"

#include <math.h>
#include <stdlib.h>

enum { LEVELS = 3, MOST_ROUNDS = 200 };
enum { MEDIAN = 0, LEAST = LEVELS, LARGEST = 2 * LEVELS, NODES = 3 * LEVELS, RUNS };
enum { LOW = RUNS + 1, HIGH = LOW + LEVELS, WIDTH = HIGH + LEVELS }; /* of the median */

struct scale {
    const double *eps;
    int sizes, logs[STUDY_SIZES];
};

static int least(int runs)
{
    return runs < SUMMAND__INTERVAL_LEAST ? SUMMAND__INTERVAL_LEAST : runs;
}

static int runs_of(const struct study *study, int log)
{
    int cap = log <= 16 ? 22 : log <= 20 ? 24 : 26;
    int runs = log <= cap - 7 ? 100
               : log < cap    ? 1 << (cap - log)
                              : 1; /* or as needed for an interval */
    return study_runs(study, least(runs / 10), least(runs));
}

/* Rounds until the largest error is at most eps[k], for one schedule on data of its own. */
static void rounds_of(uint64_t seed, int64_t n, const double *eps, double *rounds)
{
    struct summand__bulk bulk = {0};
    int next = 0;
    if (summand__bulk_open(&bulk, n, false, SUMMAND__DATA_UNIFORM, seed, seed + 1, 1))
        while (next < LEVELS && bulk.round < MOST_ROUNDS) {
            summand__bulk_step(&bulk);
            while (next < LEVELS && bulk.largest <= eps[next])
                rounds[next++] = bulk.round;
        }
    while (next < LEVELS)
        rounds[next++] = MOST_ROUNDS;
    summand__bulk_close(&bulk);
}

static void compute(const struct study *study, const void *context, int cell, double *values)
{
    const struct scale *scale = context;
    double rounds[LEVELS][STUDY_RUNS_MOST], one[LEVELS];
    int log = scale->logs[cell], runs = runs_of(study, log);
    values[NODES] = ldexp(1, log);
    values[RUNS] = runs;
    for (int r = 0; r < runs; r++) {
        uint64_t seed = summand__stream(study->seed, (uint64_t)(1000 * log + r));
        rounds_of(seed, (int64_t)1 << log, scale->eps, one);
        for (int k = 0; k < LEVELS; k++)
            rounds[k][r] = one[k];
    }
    for (int k = 0; k < LEVELS; k++) {
        struct summand__interval median = summand__interval_of_median(rounds[k], runs, study->seed);
        values[LOW + k] = median.low;
        values[HIGH + k] = median.high;
        values[MEDIAN + k] = summand__quantile(rounds[k], runs, 0.5);
        values[LEAST + k] = rounds[k][0];
        values[LARGEST + k] = rounds[k][runs - 1];
    }
}

static int levels(struct study *study, const double *eps, const char *const *names, int number)
{
    static const int own[] = {4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24};
    struct scale scale = {.eps = eps};
    scale.sizes = study_logs(study, own, study->quick ? 9 : 11, scale.logs);
    struct study_grid grid = {scale.sizes, WIDTH, &scale, compute, NULL};
    double *values = study_compute(study, &grid);
    FILE *csv = values ? study_csv(study, "nodes,runs,eps,median,least,largest") : NULL;
    if (!csv) {
        free(values);
        return 1;
    }
    struct svg_point points[LEVELS + 1][STUDY_SIZES];
    struct svg_series series[LEVELS + 1];
    for (int k = 0; k <= LEVELS; k++)
        series[k] = (struct svg_series){k < LEVELS ? names[k] : "log2 N", k, grid.cells, points[k]};
    for (int cell = 0; cell < grid.cells; cell++) {
        const double *v = values + (size_t)cell * WIDTH;
        for (int k = 0; k < LEVELS; k++) {
            fprintf(csv, "%g,%g,%g,%g,%g,%g\n", v[NODES], v[RUNS], eps[k], v[MEDIAN + k],
                    v[LEAST + k], v[LARGEST + k]);
            points[k][cell] =
                (struct svg_point){v[NODES], v[MEDIAN + k], v[LEAST + k], v[LARGEST + k]};
        }
        points[LEVELS][cell] =
            (struct svg_point){v[NODES], scale.logs[cell], scale.logs[cell], scale.logs[cell]};
    }
    study_csv_close(study);
    int last = grid.cells - 1;
    for (int k = 0; k < LEVELS && last; k++) { /* if there are several sizes */
        const double *first = values + k, *end = values + (size_t)last * WIDTH + k;
        study_claim(study, end[HIGH] - first[LOW] < scale.logs[last] - scale.logs[0],
                    "%s: grows slower than log2 N: %.1f (%.1f..%.1f) rounds for N = 2^%d, %.1f "
                    "(%.1f..%.1f) for 2^%d; criterion: ends of intervals",
                    names[k], first[MEDIAN], first[LOW], first[HIGH], scale.logs[0], end[MEDIAN],
                    end[LOW], end[HIGH], scale.logs[last]);
    }
    if (number == 10)
        study_claim(study, values[(size_t)last * WIDTH + HIGH] < scale.logs[last],
                    "for 1e-1 HPS needs fewer than log2 N rounds in large systems: %.1f "
                    "(%.1f..%.1f) of %d; criterion: end of the interval",
                    points[0][last].y, values[(size_t)last * WIDTH + LOW],
                    values[(size_t)last * WIDTH + HIGH], scale.logs[last]);
    struct svg_chart chart = {.title = "median, least and largest; error over all ranks",
                              .x_label = "nodes",
                              .y_label = "rounds",
                              .log_x = true,
                              .count = LEVELS + 1,
                              .series = series};
    char title[64];
    snprintf(title, sizeof title, "Figure %d: rounds of HPS", number);
    free(values);
    return study_draw(study, title, &chart, 1);
}

int figure_9(struct study *study)
{
    static const double eps[LEVELS] = {1e-4, 1e-5, 1e-6};
    static const char *const names[LEVELS] = {"1e-4", "1e-5", "1e-6"};
    return levels(study, eps, names, 9);
}

int figure_10(struct study *study)
{
    static const double eps[LEVELS] = {1e-1, 1e-2, 1e-3};
    static const char *const names[LEVELS] = {"1e-1", "1e-2", "1e-3"};
    return levels(study, eps, names, 10);
}
