/* Figure 7: rounds of synchronous push-sum to 1e-14 on five topologies. */
#include "gossip_study.h"

#include "gossip/data.h"
#include "gossip/rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TOPOLOGIES = 5, SIZES = 8 };
enum { NODES, ROUNDS, GAP, REACHED, WIDTH };

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

/* The slowest first: N = 2^(k + 3). A torus has the sides that come nearest to equal ones. */
static void compute(const struct study *study, const void *context, int cell, double *values)
{
    (void)context;
    int which = cell % TOPOLOGIES, runs = study->quick ? 3 : 10;
    struct instance instance = {summand__stream(study->seed, (uint64_t)cell),
                                (int64_t)8 << (cell / TOPOLOGIES)};
    memset(values, 0, WIDTH * sizeof *values);
    values[NODES] = (double)instance.n;
    if (which == 4 && instance.n > (study->quick ? 64 : 256))
        return; /* the rounds on a ring grow with n^2 */
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
        values[ROUNDS] += (double)rounds / runs;
    }
    summand__topology_free(&topology);
}

int figure_7(struct study *study)
{
    struct study_grid grid = {TOPOLOGIES * (study->quick ? 6 : SIZES), WIDTH, NULL, compute};
    double *values = study_compute(study, &grid);
    FILE *csv = values ? study_csv(study, "topology,nodes,spectral_gap,rounds,reached") : NULL;
    if (!csv) {
        free(values);
        return 1;
    }
    struct svg_point points[TOPOLOGIES + 1][SIZES];
    struct svg_series series[TOPOLOGIES + 1];
    bool reached = true, ordered = true;
    for (int t = 0; t < TOPOLOGIES; t++)
        series[t] = (struct svg_series){topologies[t], t, 0, points[t]};
    series[TOPOLOGIES] = (struct svg_series){"log2 N", TOPOLOGIES, 0, points[TOPOLOGIES]};
    for (int cell = 0; cell < grid.cells; cell++) {
        const double *v = values + (size_t)cell * WIDTH, *before = v - WIDTH;
        int t = cell % TOPOLOGIES;
        if (v[ROUNDS] > 0) {
            fprintf(csv, "%s,%g,%g,%g,%g\n", topologies[t], v[NODES], v[GAP], v[ROUNDS],
                    v[REACHED]);
            reached = reached && v[REACHED] > 0;
            points[t][series[t].points++] =
                (struct svg_point){v[NODES], v[ROUNDS], v[ROUNDS], v[ROUNDS]};
            /* Judged where the gaps differ clearly: small tori are near to each other. */
            if (t && v[GAP] < 0.8 * before[GAP] && v[ROUNDS] <= before[ROUNDS])
                ordered = false;
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
    study_claim(study, ordered, "the smaller the spectral gap, the more rounds");
    study_claim(
        study, points[0][last].y > 2 * log2(points[0][last].x),
        "even fully connected, push-sum takes several times log2 N rounds: %.0f for N = %.0f",
        points[0][last].y, points[0][last].x);
    double growth = points[0][last].y / points[0][0].y;
    study_claim(study, fabs(growth / (last + 3) * 3 - 1) < 0.25,
                "constant overhead of push-sum over recursive doubling, as a factor: rounds grow "
                "%.2f times where log2 N grows %.2f times",
                growth, (last + 3) / 3.0);
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
