/* SPDX-License-Identifier: BSD-3-Clause */
/* Figure 1: one flip of bit 56 in a flow, N = 32 hypercube. */
#include "cli/study/experiment.h"

#include "lab/gossip/interval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 100, STEP = 5, VARIANTS = 4, FLIP = 150, MOST = 500 };

static const char *const algorithms[VARIANTS] = {"pf", "pflc", "pfcc", "pf"};
static const char *const names[VARIANTS] = {"PF", "PFLC", "PFCC", "no flip"};

/* Values of a cell: the error at every STEP messages per process, the last error, messages, how
 * often the error was infinite.
 *
 * Where the messages of two processes cross, each takes the other's older flow. One has then given
 * mass away twice and the other got it back, so for some messages the weights are not those of the
 * mass. They are sums of powers of two, so one of them can be exactly 0: the estimate is a division
 * by 0. The next message of that edge ends it. */
enum { LAST = SAMPLES, MESSAGES, STAYS, ENDLESS, WIDTH };

static void watch(void *context, double time, double messages, double error)
{
    (void)time;
    double *values = context;
    int at = (int)(messages / STEP);
    if (at < SAMPLES)
        values[at] = error;
    values[ENDLESS] += isinf(error) != 0;
}

static void compute(const struct study *study, const void *context, int cell, double *values)
{
    int variant = cell % VARIANTS;
    struct study_run run = {.algorithm = algorithms[variant],
                            .topology = context,
                            .tau = -1,
                            .bit = 56,
                            .after = variant == 3 ? -1 : FLIP,
                            .most = MOST,
                            .watch = watch,
                            .context = values};
    memset(values, 0, WIDTH * sizeof *values);
    struct summand__events_outcome outcome = study_events(study, &run, cell / VARIANTS);
    values[LAST] = outcome.error;
    values[MESSAGES] = outcome.messages;
    values[STAYS] = study_stays(study, &run, cell / VARIANTS);
}

static int series_of(const double *values, struct svg_point *points)
{
    int count = 0;
    for (int k = 0; k < SAMPLES; k++)
        if (values[k] > 0) {
            double y = study_clip(values[k]);
            points[count++] = (struct svg_point){STEP * k, y, y, y};
        }
    return count;
}

/* The run shown: among the stalled ones, that with the median PF error. */
static int typical(const double *values, int runs)
{
    int best = 0;
    for (int r = 0; r < runs; r++) {
        double error = values[(size_t)(r * VARIANTS) * WIDTH + LAST];
        double chosen = values[(size_t)(best * VARIANTS) * WIDTH + LAST];
        if (fabs(log10(error) + 11) < fabs(log10(chosen) + 11))
            best = r;
    }
    return best;
}

static void claim_share(struct study *study, bool holds, const char *what, int k, int n)
{
    struct summand__interval share = summand__interval_of_share(k, n);
    study_claim(study, holds, "%s: %d of %d runs (95 %%: %.0f..%.0f %%)", what, k, n,
                100 * share.low, 100 * share.high);
}

/* Compares ratios with the ends of their intervals: the difference of two means, relative to the
 * mean without a flip. */
static void judge(struct study *study, const double *values, int runs)
{
    int stalled = 0, endless = 0, accurate[VARIANTS] = {0}, stays[VARIANTS] = {0};
    double more[2][STUDY_RUNS_MOST], clean = 0;
    for (int r = 0; r < runs; r++)
        for (int v = 0; v < VARIANTS; v++) {
            const double *cell = values + (size_t)(r * VARIANTS + v) * WIDTH;
            const double *none = values + (size_t)(r * VARIANTS + 3) * WIDTH;
            stalled += v == 0 && !(cell[LAST] < 1e-12);
            accurate[v] += cell[LAST] <= 1e-14;
            stays[v] += cell[STAYS] > 0;
            if (v == 1 || v == 2)
                more[v - 1][r] = cell[MESSAGES] - none[MESSAGES];
            endless += v == 3 && cell[ENDLESS] > 0;
            clean += v == 3 ? cell[MESSAGES] / runs : 0;
        }
    for (int v = 0; v < VARIANTS; v++)
        study_say_passage(study, names[v], accurate[v], runs, stays[v], runs, MOST);
    study_say(study,
              "  without a flip the error was infinite for a moment in %d of %d runs: a weight was "
              "exactly 0, because messages had crossed",
              endless, runs);
    claim_share(study, stalled * 20 >= runs,
                "PF stalls at 1e-12 or worse; criterion: in 5 % of the runs or more", stalled,
                runs);
    claim_share(study, accurate[1] == runs, "PFLC recovers to 1e-14; criterion: in all runs",
                accurate[1], runs);
    claim_share(study, accurate[2] == runs, "PFCC recovers to 1e-14; criterion: in all runs",
                accurate[2], runs);
    struct summand__interval lc = summand__interval_of_mean(more[0], runs),
                             cc = summand__interval_of_mean(more[1], runs);
    study_claim(study, lc.low > 0.1 * clean,
                "PFLC falls back: %.0f (%.0f..%.0f) messages more than the %.0f without a flip; "
                "criterion: by a tenth or more",
                lc.middle, lc.low, lc.high, clean);
    study_claim(study, cc.high < 0.05 * clean,
                "PFCC hardly slows down: %.1f (%.1f..%.1f) messages more; criterion: by less than "
                "a twentieth",
                cc.middle, cc.low, cc.high);
}

int figure_1(struct study *study)
{
    struct summand__topology topology;
    int runs = study_runs(study, 20, 100);
    int nodes = 1 << study_log(study, 5);
    summand__topology_make(&topology, "hypercube", nodes, 1);
    struct study_grid grid = {runs * VARIANTS, WIDTH, &topology, compute, NULL};
    double *values = study_compute(study, &grid);
    summand__topology_free(&topology);
    FILE *csv = values ? study_csv(study, "run,algorithm,messages_per_process,error") : NULL;
    if (!csv) {
        free(values);
        return 1;
    }
    for (int cell = 0; cell < grid.cells; cell++)
        for (int k = 0; k < SAMPLES; k++)
            if (values[(size_t)cell * WIDTH + k] > 0)
                fprintf(csv, "%d,%s,%d,%g\n", cell / VARIANTS, names[cell % VARIANTS], STEP * k,
                        values[(size_t)cell * WIDTH + k]);
    study_csv_close(study);
    judge(study, values, runs);
    struct svg_point points[VARIANTS][SAMPLES];
    struct svg_series series[VARIANTS];
    int shown = typical(values, runs);
    for (int v = 0; v < VARIANTS; v++)
        series[v] = (struct svg_series){
            names[v], v, series_of(values + (size_t)(shown * VARIANTS + v) * WIDTH, points[v]),
            points[v]};
    struct svg_chart chart = {
        .title =
            "bit 56 of a flow flipped after 150 messages; at 1000: larger errors, and weights of 0",
        .x_label = "messages per process",
        .y_label = "largest relative error",
        .log_y = true,
        .count = VARIANTS,
        .series = series};
    char title[64];
    snprintf(title, sizeof title, "Figure 1: convergence with a single flip, N = %d", nodes);
    free(values);
    return study_draw(study, title, &chart, 1);
}
