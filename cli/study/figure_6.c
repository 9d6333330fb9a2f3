/* SPDX-License-Identifier: BSD-3-Clause */
/* Figure 6: messages over the number of flips in a reduction, N = 64, flip rate 1e-4. */
#include "cli/study/experiment.h"

#include "lab/gossip/interval.h"

#include <math.h>
#include <stdlib.h>

enum { ALGORITHMS = 2, FLIPS = 6, MOST = 2000 }; /* flips: 0..4 and more */
enum { COUNT, MESSAGES, ERROR, STAYS, WIDTH };

static const char *const algorithms[ALGORITHMS] = {"pflc", "pfcc"};
static const char *const names[ALGORITHMS] = {"PFLC", "PFCC"};

static void compute(const struct study *study, const void *context, int cell, double *values)
{
    struct study_run run = {.algorithm = algorithms[cell % ALGORITHMS],
                            .topology = context,
                            .tau = -1,
                            .bit = -1,
                            .after = -1,
                            .rate = 1e-4,
                            .most = MOST};
    struct summand__events_outcome outcome = study_events(study, &run, cell / ALGORITHMS);
    values[COUNT] = outcome.flips;
    values[MESSAGES] = outcome.messages;
    values[ERROR] = outcome.error;
    values[STAYS] = study_stays(study, &run, cell / ALGORITHMS);
}

/* Messages of all runs with `flips` flips (the last class: or more). Returns their number. */
static int pick(const double *values, int cells, int algorithm, int flips, double *messages)
{
    int count = 0;
    for (int cell = algorithm; cell < cells; cell += ALGORITHMS) {
        const double *v = values + (size_t)cell * WIDTH;
        if (fmin(v[COUNT], FLIPS - 1) == flips)
            messages[count++] = v[MESSAGES];
    }
    return count;
}

/* Medians for 1, 3 and 5 or more flips, with their intervals. */
static void judge(struct study *study, struct summand__interval median[ALGORITHMS][FLIPS])
{
    for (int a = 0; a < ALGORITHMS; a++)
        for (int flips = 1; flips < FLIPS; flips += 2)
            if (!(median[a][flips].high > 0)) {
                study_say(study, "  %-14s %s: fewer than %d runs had %d flips%s", "not judged",
                          names[a], SUMMAND__INTERVAL_LEAST, flips,
                          flips == FLIPS - 1 ? " or more" : "");
                return;
            }
    char text[ALGORITHMS][3][64];
    for (int a = 0; a < ALGORITHMS; a++)
        for (int k = 0; k < 3; k++) {
            const struct summand__interval *m = &median[a][2 * k + 1];
            snprintf(text[a][k], sizeof text[a][k], "%.0f (%.0f..%.0f)", m->middle, m->low,
                     m->high);
        }
    study_claim(study,
                median[0][1].high < 1.1 * median[1][1].low &&
                    median[1][1].high < 1.1 * median[0][1].low,
                "one flip costs PFLC and PFCC the same: %s and %s messages; criterion: to a tenth, "
                "ends of intervals",
                text[0][0], text[1][0]);
    study_claim(
        study, median[0][3].low > 1.1 * median[0][1].high,
        "PFLC's cost grows with the flips: %s for 1, %s for 3, %s for 5 or more; criterion: "
        "from 1 to 3 by a tenth or more, ends of intervals",
        text[0][0], text[0][1], text[0][2]);
    study_claim(study,
                median[1][3].high < 1.1 * median[1][1].low &&
                    median[1][1].high < 1.1 * median[1][3].low,
                "PFCC's does not: %s for 1, %s for 3, %s for 5 or more; criterion: to a tenth, "
                "ends of intervals",
                text[1][0], text[1][1], text[1][2]);
}

int figure_6(struct study *study)
{
    struct summand__topology topology;
    int nodes = 1 << study_log(study, 6);
    summand__topology_make(&topology, "hypercube", nodes, 1);
    struct study_grid grid = {ALGORITHMS * study_runs(study, 200, 500), WIDTH, &topology, compute,
                              NULL};
    double *values = study_compute(study, &grid), *room = malloc(grid.cells * sizeof *room);
    summand__topology_free(&topology);
    FILE *csv = values && room ? study_csv(study, "algorithm,flips,runs,median,low,high") : NULL;
    if (!csv) {
        free(values);
        free(room);
        return 1;
    }
    struct svg_point points[ALGORITHMS][FLIPS];
    struct svg_series series[ALGORITHMS];
    struct summand__interval median[ALGORITHMS][FLIPS] = {{{0}}};
    for (int a = 0; a < ALGORITHMS; a++) {
        series[a] = (struct svg_series){names[a], a, 0, points[a]};
        for (int flips = 0; flips < FLIPS; flips++) {
            int count = pick(values, grid.cells, a, flips, room);
            if (!count)
                continue;
            double first = summand__quantile(room, count, 0.25),
                   third = summand__quantile(room, count, 0.75);
            double low = fmax(room[0], first - 1.5 * (third - first));
            double high = fmin(room[count - 1], third + 1.5 * (third - first));
            median[a][flips] = summand__interval_of_median(room, count, study->seed);
            points[a][series[a].points++] =
                (struct svg_point){flips, median[a][flips].middle, low, high};
            fprintf(csv, "%s,%d,%d,%g,%g,%g\n", names[a], flips, count, median[a][flips].middle,
                    low, high);
        }
    }
    study_csv_close(study);
    for (int a = 0; a < ALGORITHMS; a++) {
        int reached = 0, stayed = 0, runs = grid.cells / ALGORITHMS;
        for (int cell = a; cell < grid.cells; cell += ALGORITHMS) {
            reached += values[(size_t)cell * WIDTH + ERROR] <= 1e-14;
            stayed += values[(size_t)cell * WIDTH + STAYS] > 0;
        }
        study_say_passage(study, names[a], reached, runs, stayed, runs, MOST);
    }
    judge(study, median);
    struct svg_chart chart = {.title = "median and 1.5 interquartile ranges",
                              .x_label = "flips per reduction (5: or more)",
                              .y_label = "messages per process",
                              .beside = true,
                              .count = ALGORITHMS,
                              .series = series};
    char title[64];
    snprintf(title, sizeof title, "Figure 6: messages by number of flips, N = %d", nodes);
    free(values);
    free(room);
    return study_draw(study, title, &chart, 1);
}
