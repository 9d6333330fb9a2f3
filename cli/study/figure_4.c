/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures 4 and 5: messages over the threshold tau at a flip rate of 1e-4 per message, N = 32 and
 * 64. */
#include "cli/study/experiment.h"

#include "base/random.h"
#include "lab/gossip/interval.h"

#include <math.h>
#include <stdlib.h>

enum { TAUS = 15, ALGORITHMS = 2, RUNS_FULL = 500, MOST = 2000 };
enum { RESAMPLES = 400, STAYING = 60 /* runs of a cell that continue to their end */ };
/* OF: begin of the messages of each run */
enum { MEDIAN, LOW, HIGH, FAILED, STAYS, OF, WIDTH = OF + STUDY_RUNS_MOST };

static const char *const algorithms[ALGORITHMS] = {"pflc", "pfcc"};
static const char *const names[ALGORITHMS] = {"PFLC", "PFCC"};

static double tau_of(int k)
{
    return pow(10, k - 13); /* 1e-13 .. 10 */
}

static int runs_of(const struct study *study)
{
    return study_runs(study, 60, RUNS_FULL);
}

static void compute(const struct study *study, const void *context, int cell, double *values)
{
    double messages[STUDY_RUNS_MOST];
    int runs = runs_of(study);
    for (int k = 0; k < WIDTH; k++)
        values[k] = 0;
    for (int r = 0; r < runs; r++) {
        struct study_run run = {.algorithm = algorithms[cell / TAUS],
                                .topology = context,
                                .tau = tau_of(cell % TAUS),
                                .bit = -1,
                                .after = -1,
                                .rate = 1e-4,
                                .most = MOST};
        struct summand__events_outcome outcome = study_events(study, &run, r);
        messages[r] = values[OF + r] = outcome.messages;
        values[FAILED] += !outcome.converged / (double)runs;
        values[STAYS] += r < STAYING && study_stays(study, &run, r);
    }
    values[MEDIAN] = summand__quantile(messages, runs, 0.5);
    double first = summand__quantile(messages, runs, 0.25);
    double third = summand__quantile(messages, runs, 0.75), whisker = 1.5 * (third - first);
    values[LOW] = fmax(messages[0], first - whisker);
    values[HIGH] = fmin(messages[runs - 1], third + whisker);
}

/* Taus from..to of an algorithm. */
struct taus {
    int algorithm, from, to;
};

/* The mean of the medians over the taus, of the runs in `drawn`. */
static double level(const double *values, struct taus t, const int *drawn, int runs)
{
    double sum = 0, messages[STUDY_RUNS_MOST];
    for (int k = t.from; k <= t.to; k++) {
        const double *v = values + (size_t)(t.algorithm * TAUS + k) * WIDTH + OF;
        for (int r = 0; r < runs; r++)
            messages[r] = v[drawn[r]];
        sum += summand__quantile(messages, runs, 0.5) / (t.to - t.from + 1);
    }
    return sum;
}

/* By how much a exceeds b: bootstrap over the runs, the same ones for all taus. */
static struct summand__interval more(const struct study *study, const double *values, struct taus a,
                                     struct taus b)
{
    struct summand__random random = {summand__stream(study->seed, 0x746175u)};
    int drawn[STUDY_RUNS_MOST], runs = runs_of(study);
    double draws[RESAMPLES];
    for (int r = 0; r < runs; r++)
        drawn[r] = r;
    double middle = level(values, a, drawn, runs) - level(values, b, drawn, runs);
    for (int k = 0; k < RESAMPLES; k++) {
        for (int r = 0; r < runs; r++)
            drawn[r] = (int)summand__random_below(&random, (uint64_t)runs);
        draws[k] = level(values, a, drawn, runs) - level(values, b, drawn, runs);
    }
    double low = summand__quantile(draws, RESAMPLES, 0.025);
    return (struct summand__interval){middle, low, summand__quantile(draws, RESAMPLES, 0.975)};
}

static void judge(struct study *study, const double *values)
{
    const struct taus small[ALGORITHMS] = {{0, 0, 4}, {1, 1, 4}};
    const struct taus large[ALGORITHMS] = {{0, 12, 13}, {1, 12, 13}};
    int all[STUDY_RUNS_MOST], runs = runs_of(study);
    for (int r = 0; r < runs; r++)
        all[r] = r;
    struct summand__interval lc = more(study, values, small[0], large[0]);
    struct summand__interval cc = more(study, values, large[1], small[1]);
    study_claim(study, lc.low > 0,
                "PFLC wants tau > 0.1: %.1f messages for tau 0.1 and 1, %.1f (%.1f..%.1f) more for "
                "tau up to 1e-9; criterion: interval above 0",
                level(values, large[0], all, runs), lc.middle, lc.low, lc.high);
    study_claim(study, cc.low > 0,
                "PFCC wants tau small: %.1f messages for tau 1e-12..1e-9, %.1f (%.1f..%.1f) more "
                "for tau 0.1 and 1; criterion: interval above 0",
                level(values, small[1], all, runs), cc.middle, cc.low, cc.high);
}

static int sweep(struct study *study, int number, int log)
{
    int nodes = 1 << study_log(study, log);
    struct summand__topology topology;
    summand__topology_make(&topology, "hypercube", nodes, 1);
    struct study_grid grid = {ALGORITHMS * TAUS, WIDTH, &topology, compute, NULL};
    double *values = study_compute(study, &grid);
    summand__topology_free(&topology);
    FILE *csv = values ? study_csv(study, "algorithm,tau,median,low,high,failed") : NULL;
    if (!csv) {
        free(values);
        return 1;
    }
    struct svg_point points[ALGORITHMS][TAUS];
    struct svg_series series[ALGORITHMS];
    for (int cell = 0; cell < grid.cells; cell++) {
        const double *v = values + (size_t)cell * WIDTH;
        fprintf(csv, "%s,%g,%g,%g,%g,%g\n", names[cell / TAUS], tau_of(cell % TAUS), v[MEDIAN],
                v[LOW], v[HIGH], v[FAILED]);
        points[cell / TAUS][cell % TAUS] =
            (struct svg_point){tau_of(cell % TAUS), v[MEDIAN], v[LOW], v[HIGH]};
    }
    study_csv_close(study);
    for (int a = 0; a < ALGORITHMS; a++)
        series[a] = (struct svg_series){names[a], a, TAUS, points[a]};
    for (int a = 0; a < ALGORITHMS; a++) {
        int runs = runs_of(study), tried = runs < STAYING ? runs : STAYING;
        double failed = 0, stayed = 0;
        for (int k = 0; k < TAUS; k++) {
            failed += values[(size_t)(a * TAUS + k) * WIDTH + FAILED] * runs;
            stayed += values[(size_t)(a * TAUS + k) * WIDTH + STAYS];
        }
        study_say_passage(study, names[a], TAUS * runs - (int)lround(failed), TAUS * runs,
                          (int)stayed, TAUS * tried, MOST);
    }
    judge(study, values);
    struct svg_chart chart = {.title = "median and 1.5 interquartile ranges",
                              .x_label = "tau",
                              .y_label = "messages per process",
                              .log_x = true,
                              .beside = true,
                              .count = ALGORITHMS,
                              .series = series};
    char title[64];
    snprintf(title, sizeof title, "Figure %d: influence of tau, N = %d", number, nodes);
    free(values);
    return study_draw(study, title, &chart, 1);
}

int figure_4(struct study *study)
{
    return sweep(study, 4, 5);
}

int figure_5(struct study *study)
{
    return sweep(study, 5, 6);
}
