/* SPDX-License-Identifier: BSD-3-Clause */
/* Figure 7: rounds of synchronous push-sum to 1e-14 on five topologies. */
#include "cli/study/experiment.h"

#include "lab/gossip/data.h"
#include "lab/gossip/interval.h"
#include "lab/gossip/rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TOPOLOGIES = 5, SIZES = 8 };
enum { NODES, ROUNDS, LOW, HIGH, GAP, REACHED, WIDTH }; /* rounds: mean and its interval */

static const char *const topologies[TOPOLOGIES] = {"full", "hypercube", "torus3", "torus2", "ring"};

struct instance {
    uint64_t seed;
    int64_t n;
};

static double datum(const void *context, int64_t i)
{
    const struct instance *instance = context;
    return summand__datum(SUMMAND__DATA_UNIFORM, instance->seed, instance->n, i);
}

static int rounds_to(const struct summand__rounds_setup *setup, double eps, int most)
{
    struct summand__rounds sim;
    double root, largest = INFINITY;
    if (!summand__rounds_open(&sim, setup))
        return most;
    while (!(largest <= eps) && sim.round < most) {
        summand__rounds_step(&sim, NULL, 0);
        summand__rounds_error(&sim, &root, &largest);
    }
    int rounds = sim.round;
    summand__rounds_close(&sim);
    return rounds;
}

/* The sides of a torus are as equal as possible. */
static void compute(const struct study *study, const void *context, int cell, double *values)
{
    const int *logs = context;
    double all[STUDY_RUNS_MOST];
    int which = cell % TOPOLOGIES, runs = study_runs(study, 6, 40);
    struct instance instance = {summand__stream(study->seed, (uint64_t)cell),
                                (int64_t)1 << logs[cell / TOPOLOGIES]};
    memset(values, 0, WIDTH * sizeof *values);
    values[NODES] = (double)instance.n;
    if (which == 4 && !study->sizes && instance.n > (study->quick ? 64 : 256))
        return; /* rounds on a ring grow with n^2 */
    struct summand__topology topology;
    summand__topology_make(&topology, topologies[which], instance.n, 1);
    values[GAP] = summand__topology_gap(&topology);
    int most = (int)(400 / values[GAP]) + 1000;
    values[REACHED] = 1;
    for (int r = 0; r < runs; r++) {
        struct summand__rounds_setup setup = {
            .algorithm = summand__gossip_named("ps"),
            .arith = &summand__arith_double,
            .n = instance.n,
            .seed = instance.seed + (uint64_t)r,
            .tau = -1,
            .threads = 1,
            .topology = &topology,
            .value = datum,
            .context = &instance,
            .truth = summand__data_mean(SUMMAND__DATA_UNIFORM, instance.seed, instance.n, 1)};
        int rounds = rounds_to(&setup, 1e-14, most);
        values[REACHED] = fmin(values[REACHED], rounds < most);
        all[r] = rounds;
    }
    struct summand__interval mean = summand__interval_of_mean(all, runs);
    values[ROUNDS] = mean.middle;
    values[LOW] = mean.low;
    values[HIGH] = mean.high;
    summand__topology_free(&topology);
}

/* "The overhead over recursive doubling's log2 N rounds is constant": as additional rounds, or as a
 * factor. Constant means: from the smallest N >= 64 to the largest it changes by less than a tenth
 * of its mean. */
static void judge_overhead(struct study *study, const char *topology, const struct svg_point *point,
                           int count)
{
    static const char *const readings[] = {"rounds - log2 N", "rounds / log2 N"};
    for (int factor = 0; factor < 2; factor++) {
        struct summand__interval least = {INFINITY, INFINITY, INFINITY}, most = {0};
        int sizes = 0;
        for (int k = 0; k < count; k++) {
            double steps = log2(point[k].x), by = factor ? steps : 1, less = factor ? 0 : steps;
            if (point[k].x < 64)
                continue;
            struct summand__interval overhead = {
                (point[k].y - less) / by, (point[k].low - less) / by, (point[k].high - less) / by};
            least = overhead.middle < least.middle ? overhead : least;
            most = overhead.middle > most.middle ? overhead : most;
            sizes++;
        }
        if (sizes > 1)
            study_claim(study, most.high - least.low < 0.1 * (most.middle + least.middle) / 2,
                        "%s: %s is constant: %.1f (%.1f..%.1f) to %.1f (%.1f..%.1f) for N = "
                        "64..%.0f; criterion: within a tenth, ends of intervals",
                        topology, readings[factor], least.middle, least.low, least.high,
                        most.middle, most.low, most.high, point[count - 1].x);
    }
}

/* The smaller the spectral gap, the more rounds: compares neighbours in the order of topologies,
 * for each N. Only if the gaps differ clearly: those of small tori are close. */
static void judge_order(struct study *study, const double *values, int cells)
{
    const double *nearest = NULL;
    int pairs = 0, apart = 0;
    double ratio = INFINITY;
    for (int cell = 1; cell < cells; cell++) {
        const double *v = values + (size_t)cell * WIDTH, *before = v - WIDTH;
        if (cell % TOPOLOGIES == 0 || !(v[ROUNDS] > 0) || !(v[GAP] < 0.8 * before[GAP]))
            continue;
        pairs++;
        apart += v[LOW] > before[HIGH];
        if (v[LOW] / before[HIGH] < ratio) {
            ratio = v[LOW] / before[HIGH];
            nearest = v;
        }
    }
    if (!nearest)
        return;
    const double *before = nearest - WIDTH;
    int t = (int)((nearest - values) / WIDTH) % TOPOLOGIES;
    study_claim(study, apart == pairs,
                "the smaller the spectral gap, the more rounds: in %d of %d pairs; nearest: %.0f "
                "(%.0f..%.0f) on %s, %.0f (%.0f..%.0f) on %s, N = %.0f; criterion: intervals apart "
                "where gaps differ by a fifth",
                apart, pairs, nearest[ROUNDS], nearest[LOW], nearest[HIGH], topologies[t],
                before[ROUNDS], before[LOW], before[HIGH], topologies[t - 1], nearest[NODES]);
}

int figure_7(struct study *study)
{
    static const int own[SIZES] = {3, 4, 5, 6, 7, 8, 9, 10};
    int logs[STUDY_SIZES], sizes = study_logs(study, own, study->quick ? 6 : SIZES, logs);
    struct study_grid grid = {TOPOLOGIES * sizes, WIDTH, logs, compute, NULL};
    double *values = study_compute(study, &grid);
    FILE *csv =
        values ? study_csv(study, "topology,nodes,spectral_gap,rounds,low,high,reached") : NULL;
    if (!csv) {
        free(values);
        return 1;
    }
    struct svg_point points[TOPOLOGIES + 1][STUDY_SIZES];
    struct svg_series series[TOPOLOGIES + 1];
    bool reached = true;
    for (int t = 0; t < TOPOLOGIES; t++)
        series[t] = (struct svg_series){topologies[t], t, 0, points[t]};
    series[TOPOLOGIES] = (struct svg_series){"log2 N", TOPOLOGIES, 0, points[TOPOLOGIES]};
    for (int cell = 0; cell < grid.cells; cell++) {
        const double *v = values + (size_t)cell * WIDTH;
        int t = cell % TOPOLOGIES;
        if (v[ROUNDS] > 0) {
            fprintf(csv, "%s,%g,%g,%g,%g,%g,%g\n", topologies[t], v[NODES], v[GAP], v[ROUNDS],
                    v[LOW], v[HIGH], v[REACHED]);
            reached = reached && v[REACHED] > 0;
            points[t][series[t].points++] =
                (struct svg_point){v[NODES], v[ROUNDS], v[LOW], v[HIGH]};
        }
        if (t == 0) {
            double steps = log2(v[NODES]);
            points[TOPOLOGIES][series[TOPOLOGIES].points++] =
                (struct svg_point){v[NODES], steps, steps, steps};
        }
    }
    study_csv_close(study);
    int last = grid.cells / TOPOLOGIES - 1;
    study_claim(study, reached, "push-sum reaches 1e-14 on every topology");
    judge_order(study, values, grid.cells);
    study_claim(study, points[0][last].low > 2 * log2(points[0][last].x),
                "even fully connected, push-sum takes several times log2 N rounds: %.0f "
                "(%.0f..%.0f) for N = %.0f; criterion: interval above twice",
                points[0][last].y, points[0][last].low, points[0][last].high, points[0][last].x);
    for (int t = 0; t < TOPOLOGIES; t++)
        judge_overhead(study, topologies[t], points[t], series[t].points);
    const struct svg_point *torus = &points[3][series[3].points - 1], *full = &points[0][last];
    study_claim(study, torus->low < 1.1 * full->high,
                "the overhead is independent of the topology: %.0f (%.0f..%.0f) rounds on the 2-d "
                "torus, %.0f (%.0f..%.0f) on the full graph, N = %.0f; criterion: within a tenth, "
                "ends of intervals",
                torus->y, torus->low, torus->high, full->y, full->low, full->high, full->x);
    struct svg_chart chart = {.title = "uniform data, mean over runs",
                              .x_label = "nodes",
                              .y_label = "rounds",
                              .log_x = true,
                              .log_y = true,
                              .count = TOPOLOGIES + 1,
                              .series = series};
    free(values);
    return study_draw(study, "Figure 7: rounds of push-sum to 1e-14", &chart, 1);
}
