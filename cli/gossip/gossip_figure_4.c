/* Figures 4 and 5: messages by the threshold tau at a flip rate of 1e-4 per message, N = 32 and 64.
 */
#include "cli/gossip/gossip_interval.h"
#include "cli/gossip/gossip_study.h"

#include <math.h>
#include <stdlib.h>

enum { TAUS = 15, ALGORITHMS = 2, MOST_RUNS = 500, MOST = 2000 };
enum {
    MEDIAN,
    LOW,
    HIGH,
    FAILED,
    LEAST,
    MOST_OF,
    WIDTH
}; /* least, most of: interval of the median */

static const char *const algorithms[ALGORITHMS] = {"pflc", "pfcc"};
static const char *const names[ALGORITHMS] = {"PFLC", "PFCC"};

static double tau_of(int k)
{
    return pow(10, k - 13); /* 1e-13 .. 10 */
}

static void compute(const struct study *study, const void *context, int cell, double *values)
{
    double messages[MOST_RUNS];
    int runs = study->quick ? 60 : MOST_RUNS;
    values[FAILED] = 0;
    for (int r = 0; r < runs; r++) {
        struct study_run run = {.algorithm = algorithms[cell / TAUS],
                                .topology = context,
                                .tau = tau_of(cell % TAUS),
                                .bit = -1,
                                .after = -1,
                                .rate = 1e-4,
                                .most = MOST};
        struct summand__events_outcome outcome = study_events(study, &run, r);
        messages[r] = outcome.messages;
        values[FAILED] += !outcome.converged / (double)runs;
    }
    struct interval median = interval_of_median(messages, runs, study->seed);
    values[LEAST] = median.low;
    values[MOST_OF] = median.high;
    values[MEDIAN] = study_quantile(messages, runs, 0.5);
    double first = study_quantile(messages, runs, 0.25);
    double third = study_quantile(messages, runs, 0.75), whisker = 1.5 * (third - first);
    values[LOW] = fmax(messages[0], first - whisker);
    values[HIGH] = fmin(messages[runs - 1], third + whisker);
}

/* The mean of the medians over taus from..to; all meet the same runs, so its interval is not
 * smaller than the mean of theirs. */
static struct interval level(const double *values, int algorithm, int from, int to)
{
    struct interval sum = {0, 0, 0};
    for (int k = from; k <= to; k++) {
        const double *v = values + (size_t)(algorithm * TAUS + k) * WIDTH;
        sum.middle += v[MEDIAN] / (to - from + 1);
        sum.low += v[LEAST] / (to - from + 1);
        sum.high += v[MOST_OF] / (to - from + 1);
    }
    return sum;
}

static int sweep(struct study *study, int nodes)
{
    struct summand__topology topology;
    summand__topology_make(&topology, "hypercube", nodes, 1);
    struct study_grid grid = {ALGORITHMS * TAUS, WIDTH, &topology, compute};
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
    struct interval lc[2] = {level(values, 0, 0, 4), level(values, 0, 12, 13)};
    struct interval cc[2] = {level(values, 1, 1, 4), level(values, 1, 12, 13)};
    study_claim(study, lc[1].high < lc[0].low,
                "PFLC wants tau > 0.1: %.1f (%.1f..%.1f) messages for tau 0.1 and 1, "
                "%.1f (%.1f..%.1f) for tau up to 1e-9; criterion: intervals apart",
                lc[1].middle, lc[1].low, lc[1].high, lc[0].middle, lc[0].low, lc[0].high);
    study_claim(study, cc[0].high < cc[1].low,
                "PFCC wants tau small: %.1f (%.1f..%.1f) messages for tau 1e-12..1e-9, "
                "%.1f (%.1f..%.1f) for tau 0.1 and 1; criterion: intervals apart",
                cc[0].middle, cc[0].low, cc[0].high, cc[1].middle, cc[1].low, cc[1].high);
    struct svg_chart chart = {.title = "median and 1.5 interquartile ranges",
                              .x_label = "tau",
                              .y_label = "messages per process",
                              .log_x = true,
                              .beside = true,
                              .count = ALGORITHMS,
                              .series = series};
    char title[64];
    snprintf(title, sizeof title, "Figure %d: influence of tau, N = %d", nodes == 32 ? 4 : 5,
             nodes);
    free(values);
    return study_draw(study, title, &chart, 1);
}

int figure_4(struct study *study)
{
    return sweep(study, 32);
}

int figure_5(struct study *study)
{
    return sweep(study, 64);
}
