/* Figure 13: extra rounds of HPFLC for one flip in every bit of a flow, single precision, eps 1e-3;
 * counted by the error at the root and by the largest error over all ranks. */
#include "gossip_study.h"

#include "gossip/data.h"
#include "gossip/rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 32, MOST_RUNS = 10, CRITERIA = 2, NEVER = 80 };

struct instance {
    uint64_t seed;
    int64_t n;
};

static double datum(const void *context, int64_t i)
{
    const struct instance *instance = context;
    return summand__datum(SUMMAND__DATA_UNIFORM, instance->seed, instance->n, i);
}

static int log_of(const struct study *study)
{
    return study->quick ? 12 : 20;
}

static int runs_of(const struct study *study)
{
    return study->quick ? 10 : 3;
}

/* First rounds after which the root's and the largest error stay at most 1e-3. bit below 0: no
 * flip. Cost: 2^20 nodes take about a second per run. */
static void rounds_to(const struct instance *instance, int bit, double *rounds)
{
    enum { AFTER = 4 }; /* rounds watched beyond the first success: it must last */
    struct summand__random random = {summand__stream(instance->seed, 13)};
    struct summand__rounds sim;
    struct summand__rounds_setup setup = {
        .algorithm = summand__gossip_named("hpflc"),
        .arith = &summand__arith_single,
        .n = instance->n,
        .seed = instance->seed + 1,
        .tau = 0.5,
        .threads = 1,
        .value = datum,
        .context = instance,
        .truth = summand__data_mean(SUMMAND__DATA_UNIFORM, instance->seed, instance->n, 1)};
    int when = 2 + (int)summand__random_below(&random, 12);
    struct summand__rounds_fault fault = {
        .fault = {SUMMAND__FAULT_FLOW, SUMMAND__FAULT_VALUE, bit},
        .rank = (int64_t)summand__random_below(&random, (uint64_t)instance->n)};
    double error[CRITERIA];
    rounds[0] = rounds[1] = NEVER;
    if (!summand__rounds_open(&sim, &setup))
        return;
    int good = 0;
    while (good < AFTER && sim.round < NEVER) {
        summand__rounds_step(&sim, &fault, bit >= 0 && sim.round == when);
        summand__rounds_error(&sim, &error[0], &error[1]);
        for (int c = 0; c < CRITERIA; c++)
            rounds[c] = error[c] > 1e-3 ? NEVER : fmin(rounds[c], sim.round);
        good = error[1] <= 1e-3 ? good + 1 : 0;
    }
    summand__rounds_close(&sim);
}

/* Cell 0 has the rounds without a flip of each run, cell 1 + bit those with. */
static void compute(const struct study *study, const void *context, int cell, double *values)
{
    (void)context;
    for (int r = 0; r < runs_of(study); r++) {
        struct instance instance = {summand__stream(study->seed, (uint64_t)(100 + r)),
                                    (int64_t)1 << log_of(study)};
        rounds_to(&instance, cell - 1, values + CRITERIA * r);
    }
}

int figure_13(struct study *study)
{
    int runs = runs_of(study), width = CRITERIA * MOST_RUNS;
    struct study_grid grid = {1 + BITS, width, NULL, compute};
    double *values = study_compute(study, &grid);
    FILE *csv = values ? study_csv(study, "bit,criterion,mean_extra,worst_extra,mean_clean") : NULL;
    if (!csv) {
        free(values);
        return 1;
    }
    static const char *const names[CRITERIA] = {"root", "all ranks"};
    struct svg_point points[CRITERIA][BITS];
    struct svg_series series[CRITERIA];
    double worst[CRITERIA] = {0}, largest_mean[CRITERIA] = {0}, mean_clean[CRITERIA] = {0};
    for (int c = 0; c < CRITERIA; c++) {
        series[c] = (struct svg_series){names[c], 2 * c, BITS, points[c]};
        for (int r = 0; r < runs; r++)
            mean_clean[c] += values[CRITERIA * r + c] / runs;
        for (int bit = 0; bit < BITS; bit++) {
            double extra = 0, most = 0;
            for (int r = 0; r < runs; r++) {
                double more =
                    values[(size_t)(1 + bit) * width + CRITERIA * r + c] - values[CRITERIA * r + c];
                extra += more / runs;
                most = fmax(most, more);
            }
            fprintf(csv, "%d,%s,%g,%g,%g\n", bit, names[c], extra, most, mean_clean[c]);
            points[c][bit] = (struct svg_point){bit, extra, extra, most};
            worst[c] = fmax(worst[c], most);
            largest_mean[c] = fmax(largest_mean[c], extra / mean_clean[c]);
        }
    }
    fclose(csv);
    printf("  N = 2^%d, %d runs per bit, tau 0.5\n", log_of(study), runs);
    for (int c = 0; c < CRITERIA; c++) {
        study_claim(study, worst[c] <= 1, "%s: at most one extra round: %.0f at most", names[c],
                    worst[c]);
        study_claim(study, largest_mean[c] < 0.01,
                    "%s: mean overhead below 1 %% for every bit: %.1f %% at most", names[c],
                    100 * largest_mean[c]);
    }
    struct svg_chart chart = {.title = "mean; bars reach to the worst run",
                              .x_label = "position of the flipped bit",
                              .y_label = "extra rounds",
                              .count = CRITERIA,
                              .series = series};
    free(values);
    return study_draw(study, "Figure 13: HPFLC with one flip, single precision, eps 1e-3", &chart,
                      1);
}
