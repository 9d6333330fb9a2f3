/* SPDX-License-Identifier: BSD-3-Clause */
/* Figure 12: HPFLC and ARDB on up to 2^30 nodes, error at the root and over all ranks.
 *
 * Without faults HPFLC computes what HPS computes (its flows add up to the same mass but for
 * rounding; figure 12 checks it on 2^12 nodes), so large N is done by HPS: the root by its
 * ancestors, all ranks in memory. */
#include "cli/study/experiment.h"

#include "lab/gossip/ancestors.h"
#include "lab/gossip/bulk.h"
#include "lab/gossip/interval.h"
#include "lab/gossip/rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 5, METHODS = 4, NEVER = 99 };
/* A cell is one run on one N: the rounds of each method to each eps; below 0 if it was not run.
 */
enum { ROOT, ALL, ARDB_ROOT, ARDB_ALL, WIDTH = METHODS * LEVELS };

static const double eps[LEVELS] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5};
static const char *const methods[METHODS] = {"HPFLC root", "HPFLC all", "ARDB root", "ARDB all"};
static const int full_logs[] = {10, 14, 18, 22, 26, 30}; /* quick: without the last */

/* Finds the first rounds with errors[r] at most eps[k]. */
static void root_rounds(uint64_t seed, int log, double truth, int most, double *rounds)
{
    double errors[SUMMAND__ANCESTORS_MOST + 1];
    int k = 0;
    int done = summand__ancestors_root((int64_t)1 << log, seed + 1, SUMMAND__DATA_UNIFORM, seed,
                                       truth, eps[LEVELS - 1], most, errors);
    for (int r = 0; r <= done; r++)
        while (k < LEVELS && errors[r] <= eps[k])
            rounds[k++] = r;
    while (k < LEVELS)
        rounds[k++] = NEVER;
}

/* The same with all nodes in memory: by the largest error, or by the root's if its tree of
 * ancestors would be larger than the system. NULL: not requested. */
static void all_rounds(uint64_t seed, int log, double *all, double *root)
{
    struct summand__bulk bulk = {0};
    int a = all ? 0 : LEVELS, r = root ? 0 : LEVELS;
    if (!summand__bulk_open(&bulk, (int64_t)1 << log, true, SUMMAND__DATA_UNIFORM, seed, seed + 1,
                            1))
        return; /* out of memory: the run counts as not run */
    while ((a < LEVELS || r < LEVELS) && bulk.round < NEVER) {
        summand__bulk_step(&bulk);
        while (a < LEVELS && bulk.largest <= eps[a])
            all[a++] = bulk.round;
        while (r < LEVELS && bulk.root <= eps[r])
            root[r++] = bulk.round;
    }
    while (a < LEVELS)
        all[a++] = NEVER;
    while (r < LEVELS)
        root[r++] = NEVER;
    summand__bulk_close(&bulk);
}

/* Returns the true mean. */
static double ardb_rounds(uint64_t seed, int log, double *values)
{
    int steps[2][LEVELS];
    double truth =
        summand__ardb_steps(log, SUMMAND__DATA_UNIFORM, seed, LEVELS, eps, steps[0], steps[1]);
    for (int k = 0; k < LEVELS; k++) {
        values[ARDB_ROOT * LEVELS + k] = steps[0][k] < 0 ? NEVER : steps[0][k];
        values[ARDB_ALL * LEVELS + k] = steps[1][k] < 0 ? NEVER : steps[1][k];
    }
    return truth;
}

/* Slower experiments have fewer runs; the CSV states the number. */
static const struct {
    int log;
    int full[2], quick[2]; /* runs: to the root, on all ranks */
} runs_at[] = {{10, {100, 100}, {10, 10}}, {14, {100, 100}, {10, 10}}, {18, {100, 100}, {10, 10}},
               {22, {100, 100}, {10, 0}},  {26, {100, 16}, {10, 0}},   {30, {100, 0}, {0, 0}}};

static int runs_of(const struct study *study, int log, bool all)
{
    bool quick = study->quick;
    size_t k = 0;
    while (runs_at[k].log < log)
        k++;
    if (study->runs)
        return study->runs;
    return quick ? runs_at[k].quick[all] : runs_at[k].full[all];
}

struct sizes {
    int count, logs[STUDY_SIZES]; /* ascending */
    int runs;                     /* cells of a size */
};

/* The largest size first, because it takes longest. */
static void compute(const struct study *study, const void *context, int cell, double *values)
{
    const struct sizes *sizes = context;
    int log = sizes->logs[sizes->count - 1 - cell / sizes->runs], run = cell % sizes->runs;
    bool all = run<runs_of(study, log, true), by_tree = log> 18;
    for (int k = 0; k < WIDTH; k++)
        values[k] = -1;
    if (run >= runs_of(study, log, false))
        return;
    uint64_t seed = summand__stream(study->seed, (uint64_t)(1000 * log + run));
    double truth = ardb_rounds(seed, log, values);
    if (by_tree)
        root_rounds(seed, log, truth,
                    log < 24       ? 60
                    : study->quick ? 24
                                   : 29,
                    values + ROOT * LEVELS);
    if (all || !by_tree)
        all_rounds(seed, log, all ? values + ALL * LEVELS : NULL,
                   by_tree ? NULL : values + ROOT * LEVELS);
}

/* The smallest size first. */
static void reverse(double *values, const struct sizes *sizes)
{
    int block = sizes->runs * WIDTH, last = sizes->count - 1;
    for (int s = 0; s < sizes->count / 2; s++)
        for (int k = 0; k < block; k++) {
            double *a = values + s * block + k, *b = values + (last - s) * block + k, v = *a;
            *a = *b;
            *b = v;
        }
}

struct summary {
    int runs;
    double rounds[STUDY_RUNS_MOST];
    struct summand__interval interval; /* of the median */
    double median, least, largest;
};

static struct summary summary_of(const struct sizes *sizes, const double *values, int size,
                                 int method, int k)
{
    struct summary s = {0};
    double *rounds = s.rounds;
    for (int run = 0; run < sizes->runs; run++) {
        double r = values[(size_t)(size * sizes->runs + run) * WIDTH + method * LEVELS + k];
        if (r >= 0)
            rounds[s.runs++] = r;
    }
    if (!s.runs)
        return s;
    s.interval = summand__interval_of_median(rounds, s.runs, (uint64_t)size);
    s.median = summand__quantile(rounds, s.runs, 0.5);
    s.least = rounds[0];
    s.largest = rounds[s.runs - 1];
    return s;
}

static double datum(const void *context, int64_t i)
{
    return summand__datum(SUMMAND__DATA_UNIFORM, *(const uint64_t *)context, 4096, i);
}

/* The largest difference between the errors of HPFLC and HPS, round by round. */
static double hpflc_is_hps(uint64_t seed)
{
    static const char *const names[] = {"hps", "hpflc"};
    struct summand__rounds sim[2];
    double root, largest[2], difference = 0;
    for (int a = 0; a < 2; a++) {
        struct summand__rounds_setup setup = {
            .algorithm = summand__gossip_named(names[a]),
            .arith = &summand__arith_double,
            .n = 4096,
            .seed = seed,
            .tau = -1,
            .value = datum,
            .context = &seed,
            .truth = summand__data_mean(SUMMAND__DATA_UNIFORM, seed, 4096, 1)};
        if (!summand__rounds_open(&sim[a], &setup))
            return INFINITY;
    }
    for (int round = 0; round < 40; round++) {
        for (int a = 0; a < 2; a++) {
            summand__rounds_step(&sim[a], NULL, 0);
            summand__rounds_error(&sim[a], &root, &largest[a]);
        }
        difference = fmax(difference, fabs(largest[0] - largest[1]));
    }
    summand__rounds_close(&sim[0]);
    summand__rounds_close(&sim[1]);
    return difference;
}

static int draw(struct study *study, const struct sizes *sizes, const double *values)
{
    static const char *const titles[LEVELS] = {"eps 1e-1", "eps 1e-2", "eps 1e-3", "eps 1e-4",
                                               "eps 1e-5"};
    struct svg_point points[LEVELS][METHODS][STUDY_SIZES];
    struct svg_series series[LEVELS][METHODS];
    struct svg_chart charts[LEVELS];
    for (int k = 0; k < LEVELS; k++) {
        for (int m = 0; m < METHODS; m++) {
            series[k][m] = (struct svg_series){methods[m], m, 0, points[k][m]};
            for (int s = 0; s < sizes->count; s++) {
                struct summary v = summary_of(sizes, values, s, m, k);
                if (v.runs && v.median < NEVER && !(v.interval.high >= NEVER))
                    points[k][m][series[k][m].points++] = (struct svg_point){
                        ldexp(1, sizes->logs[s]), v.median, fmin(v.median, v.interval.low),
                        fmax(v.median, v.interval.high)};
            }
        }
        charts[k] = (struct svg_chart){.title = titles[k],
                                       .x_label = "nodes",
                                       .y_label = "rounds",
                                       .log_x = true,
                                       .beside = true,
                                       .count = METHODS,
                                       .series = series[k]};
    }
    return study_draw(study, "Figure 12: rounds of HPFLC and ARDB, medians with 95 % intervals",
                      charts, LEVELS);
}

static void compare(struct study *study, const struct sizes *sizes, const double *values, int size,
                    bool all)
{
    int log = sizes->logs[size];
    for (int k = 0; k < LEVELS; k++) {
        struct summary flc = summary_of(sizes, values, size, all ? ALL : ROOT, k);
        struct summary ardb = summary_of(sizes, values, size, all ? ARDB_ALL : ARDB_ROOT, k);
        if (flc.runs < SUMMAND__INTERVAL_LEAST) {
            study_say(study, "  %-14s %s, eps %g, N = 2^%d: %d runs have no interval", "not judged",
                      all ? "all ranks" : "root", eps[k], log, flc.runs);
            continue;
        }
        if (flc.median >= NEVER) { /* unknown if it was not followed to its end */
            study_say(study, "  %-14s %s, eps %g: HPFLC not within the rounds tried, ARDB %g",
                      "not judged", all ? "all ranks" : "root", eps[k], ardb.median);
            continue;
        }
        struct summand__interval d = summand__interval_of_difference(
            flc.rounds, flc.runs, ardb.rounds, ardb.runs, study->seed);
        if (d.low <= 0 && d.high >= 0) {
            study_say(study,
                      "  %-14s %s, eps %g, N = 2^%d: HPFLC %g, ARDB %g; difference %g (%g..%g)",
                      "no difference", all ? "all ranks" : "root", eps[k], log, flc.median,
                      ardb.median, d.middle, d.low, d.high);
            continue;
        }
        study_claim(
            study, d.high < 0,
            "%s, eps %g, N = 2^%d: HPFLC needs fewer rounds than ARDB: %g in %d runs and %g in "
            "%d; difference of medians %g (%g..%g)",
            all ? "all ranks" : "root", eps[k], log, flc.median, flc.runs, ardb.median, ardb.runs,
            d.middle, d.low, d.high);
    }
}

static void judge(struct study *study, const struct sizes *sizes, const double *values)
{
    double difference = hpflc_is_hps(study->seed);
    study_claim(
        study, difference < 1e-13,
        "(ours) HPFLC without faults takes the course of HPS: errors differ by %.2g at most",
        difference);
    compare(study, sizes, values, sizes->count - 1, false);
    int largest = sizes->count - 1; /* of the sizes that ran with all nodes */
    while (largest > 0 && summary_of(sizes, values, largest, ALL, 0).runs < SUMMAND__INTERVAL_LEAST)
        largest--;
    compare(study, sizes, values, largest, true);
}

int figure_12(struct study *study)
{
    struct sizes room = {.runs = study_runs(study, 10, 100)}, *sizes = &room;
    sizes->count = study_logs(study, full_logs, study->quick ? 5 : 6, sizes->logs);
    study_note(study, " largest first");
    struct study_grid grid = {sizes->count * sizes->runs, WIDTH, sizes, compute, NULL};
    double *values = study_compute(study, &grid);
    if (values)
        reverse(values, sizes);
    FILE *csv =
        values ? study_csv(study, "nodes,criterion,eps,runs,median,low,high,least,largest") : NULL;
    if (!csv) {
        free(values);
        return 1;
    }
    for (int cell = 0; cell < sizes->count * METHODS * LEVELS; cell++) {
        int size = cell / (METHODS * LEVELS), method = cell / LEVELS % METHODS, k = cell % LEVELS;
        struct summary v = summary_of(sizes, values, size, method, k);
        if (v.runs)
            fprintf(csv, "%g,%s,%g,%d,%g,%g,%g,%g,%g\n", ldexp(1, sizes->logs[size]),
                    methods[method], eps[k], v.runs, v.median, v.interval.low, v.interval.high,
                    v.least, v.largest);
    }
    study_csv_close(study);
    study_say(study, "  rounds; %d stands for 'not within the rounds tried'", NEVER);
    judge(study, sizes, values);
    int status = draw(study, sizes, values);
    free(values);
    return status;
}
