/* Figure 12: HPFLC and ARDB on up to 2^30 nodes, error at the root and over all ranks.
 *
 * Without faults HPFLC computes what HPS computes (its flows add up to the same mass but for
 * rounding; figure 12 checks it on 2^12 nodes), so large N is done by HPS: the root by its
 * ancestors, all ranks in memory. */
#include "gossip_study.h"

#include "gossip/ancestors.h"
#include "gossip/bulk.h"
#include "gossip/rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 4, MOST_RUNS = 100, METHODS = 4, NEVER = 99 };
/* methods: HPFLC root, HPFLC all, ARDB root, ARDB all; a cell is one N and method */
enum { MEDIAN, LEAST, LARGEST, RUNS, KINDS };
enum { WIDTH = LEVELS * KINDS };

static const double eps[LEVELS] = {1e-1, 1e-2, 1e-3, 1e-4};
static const char *const methods[METHODS] = {"HPFLC root", "HPFLC all", "ARDB root", "ARDB all"};
static const int quick_logs[] = {10, 14, 18, 22, 26}, full_logs[] = {10, 14, 18, 22, 26, 30};

/* First rounds with errors[r] at most eps[k]. */
static void root_rounds(uint64_t seed, int log, double truth, double *rounds)
{
    double errors[SUMMAND__ANCESTORS_MOST + 1];
    int most = log < 22 ? 24 : 26, k = 0;
    int done = summand__ancestors_root((int64_t)1 << log, seed + 1, SUMMAND__DATA_UNIFORM, seed,
                                       truth, eps[LEVELS - 1], most, errors);
    for (int r = 0; r <= done; r++)
        while (k < LEVELS && errors[r] <= eps[k])
            rounds[k++] = r;
    while (k < LEVELS)
        rounds[k++] = NEVER;
}

/* The same with all nodes in memory: by the largest error, or by the root's where the tree of its
 * ancestors would be larger than the system. */
static void all_rounds(uint64_t seed, int log, bool root, double *rounds)
{
    struct summand__bulk bulk;
    int k = 0;
    if (summand__bulk_open(&bulk, (int64_t)1 << log, true, SUMMAND__DATA_UNIFORM, seed, seed + 1,
                           1))
        while (k < LEVELS && bulk.round < NEVER) {
            summand__bulk_step(&bulk);
            while (k < LEVELS && (root ? bulk.root : bulk.largest) <= eps[k])
                rounds[k++] = bulk.round;
        }
    while (k < LEVELS)
        rounds[k++] = NEVER;
    summand__bulk_close(&bulk);
}

static void ardb_rounds(uint64_t seed, int log, double truth, bool all, double *rounds)
{
    int steps[2][LEVELS];
    summand__ardb_steps(log, SUMMAND__DATA_UNIFORM, seed, truth, LEVELS, eps, steps[0], steps[1]);
    for (int k = 0; k < LEVELS; k++)
        rounds[k] = steps[all][k] < 0 ? NEVER : steps[all][k];
}

/* What takes longer is done less often; the CSV says how often. */
static int runs_of(const struct study *study, int method, int log)
{
    int afford = (study->quick ? 26 : 30) - (method == 1 ? 4 : 0);
    int runs = log > afford ? 0 : log > afford - 7 ? 1 << (afford - log) : MOST_RUNS;
    return method != 1 && runs < 10 ? 10 : runs < MOST_RUNS ? runs : MOST_RUNS;
}

static void compute(const struct study *study, const void *context, int cell, double *values)
{
    int log = ((const int *)context)[cell / METHODS], method = cell % METHODS;
    int runs = runs_of(study, method, log);
    double rounds[LEVELS][MOST_RUNS], one[LEVELS];
    memset(values, 0, WIDTH * sizeof *values);
    for (int r = 0; r < runs; r++) {
        uint64_t seed = summand__stream(study->seed, (uint64_t)(1000 * log + r));
        double truth =
            method == 1 ? 0 : summand__data_mean(SUMMAND__DATA_UNIFORM, seed, (int64_t)1 << log, 1);
        if (method == 0 && log <= 18)
            all_rounds(seed, log, true, one);
        else if (method == 0)
            root_rounds(seed, log, truth, one);
        else if (method == 1)
            all_rounds(seed, log, false, one);
        else
            ardb_rounds(seed, log, truth, method == 3, one);
        for (int k = 0; k < LEVELS; k++)
            rounds[k][r] = one[k];
    }
    for (int k = 0; k < LEVELS && runs; k++) {
        double *v = values + k * KINDS;
        v[MEDIAN] = study_quantile(rounds[k], runs, 0.5);
        v[LEAST] = rounds[k][0];
        v[LARGEST] = rounds[k][runs - 1];
        v[RUNS] = runs;
    }
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

static int draw(struct study *study, const double *values, const int *logs, int sizes)
{
    static const char *const titles[LEVELS] = {"eps 1e-1", "eps 1e-2", "eps 1e-3", "eps 1e-4"};
    struct svg_point points[LEVELS][METHODS][8];
    struct svg_series series[LEVELS][METHODS];
    struct svg_chart charts[LEVELS];
    for (int k = 0; k < LEVELS; k++) {
        for (int m = 0; m < METHODS; m++) {
            series[k][m] = (struct svg_series){methods[m], m, 0, points[k][m]};
            for (int s = 0; s < sizes; s++) {
                const double *v = values + (size_t)(s * METHODS + m) * WIDTH + k * KINDS;
                if (v[RUNS] > 0 && v[LARGEST] < NEVER)
                    points[k][m][series[k][m].points++] =
                        (struct svg_point){ldexp(1, logs[s]), v[MEDIAN], v[LEAST], v[LARGEST]};
            }
        }
        charts[k] = (struct svg_chart){.title = titles[k],
                                       .x_label = "nodes",
                                       .y_label = "rounds",
                                       .log_x = true,
                                       .count = METHODS,
                                       .series = series[k]};
    }
    return study_draw(study, "Figure 12: rounds of HPFLC and ARDB, median, least and largest",
                      charts, LEVELS);
}

static void judge(struct study *study, const double *values, const int *logs, int sizes)
{
    const double *last = values + (size_t)(sizes - 1) * METHODS * WIDTH;
    int log = logs[sizes - 1];
    double difference = hpflc_is_hps(study->seed);
    study_claim(
        study, difference < 1e-13,
        "(ours) HPFLC without faults takes the course of HPS: errors differ by %.2g at most",
        difference);
    for (int k = 0; k < LEVELS; k++) {
        double flc = last[k * KINDS + MEDIAN], ardb = last[2 * WIDTH + k * KINDS + MEDIAN];
        study_claim(study, flc < ardb,
                    "root, eps %g, N = 2^%d: HPFLC needs fewer rounds than ARDB: %.0f and %.0f",
                    eps[k], log, flc, ardb);
    }
    for (int s = sizes - 1; s >= 0; s--) {
        const double *v = values + (size_t)s * METHODS * WIDTH;
        if (v[WIDTH + RUNS] < 1)
            continue;
        for (int k = 0; k < LEVELS; k++) {
            double flc = v[WIDTH + k * KINDS + MEDIAN], ardb = v[3 * WIDTH + k * KINDS + MEDIAN];
            study_claim(study, flc < ardb,
                        "all ranks, eps %g, N = 2^%d: HPFLC needs fewer rounds than ARDB: %.0f "
                        "and %.0f",
                        eps[k], logs[s], flc, ardb);
        }
        break;
    }
}

int figure_12(struct study *study)
{
    const int *logs = study->quick ? quick_logs : full_logs;
    int sizes = study->quick ? 5 : 6;
    struct study_grid grid = {sizes * METHODS, WIDTH, logs, compute};
    double *values = study_compute(study, &grid);
    FILE *csv = values ? study_csv(study, "nodes,criterion,eps,runs,median,least,largest") : NULL;
    if (!csv) {
        free(values);
        return 1;
    }
    for (int cell = 0; cell < grid.cells; cell++)
        for (int k = 0; k < LEVELS; k++) {
            const double *v = values + (size_t)cell * WIDTH + k * KINDS;
            if (v[RUNS] > 0)
                fprintf(csv, "%g,%s,%g,%g,%g,%g,%g\n", ldexp(1, logs[cell / METHODS]),
                        methods[cell % METHODS], eps[k], v[RUNS], v[MEDIAN], v[LEAST], v[LARGEST]);
        }
    fclose(csv);
    printf("  rounds; %d stands for 'not within the rounds tried'\n", NEVER);
    judge(study, values, logs, sizes);
    int status = draw(study, values, logs, sizes);
    free(values);
    return status;
}
