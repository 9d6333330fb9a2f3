/* Figure 13: extra rounds of HPFLC for one flip in every bit of a flow, single precision, eps 1e-3;
 * counted by the error at the root and by the largest error over all ranks. */
#include "gossip_study.h"

#include "gossip/large.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 32, CRITERIA = 2, NEVER = 80 };

static int log_of(const struct study *study)
{
    return study->quick ? 14 : 20;
}

static int runs_of(const struct study *study)
{
    return study->quick ? 20 : 100;
}

/* First rounds after which the root's and the largest error stay at most 1e-3. bit below 0: no
 * flip. Cost: a third of a second for 2^20 nodes. */
static void rounds_to(uint64_t seed, int64_t n, int bit, double *rounds)
{
    enum { AFTER = 4 }; /* rounds watched beyond the first success: it must last */
    struct summand__random random = {summand__stream(seed, 13)};
    int when = 2 + (int)summand__random_below(&random, 12);
    struct summand__large_fault fault = {.fault = {SUMMAND__FAULT_FLOW, SUMMAND__FAULT_VALUE, bit},
                                         .rank =
                                             (int64_t)summand__random_below(&random, (uint64_t)n),
                                         .round = when};
    struct summand__large_setup setup = {.algorithm = summand__gossip_named("hpflc"),
                                         .n = n,
                                         .single = true,
                                         .tau = 0.5,
                                         .data_seed = seed,
                                         .seed = seed + 1,
                                         .threads = 1,
                                         .faults = &fault,
                                         .count = bit >= 0};
    struct summand__large large;
    rounds[0] = rounds[1] = NEVER;
    if (summand__large_open(&large, &setup))
        return;
    int good = 0;
    while (good < AFTER && large.values.round < NEVER && summand__large_step(&large)) {
        double error[CRITERIA] = {large.root, large.largest};
        for (int c = 0; c < CRITERIA; c++)
            rounds[c] = error[c] > 1e-3 ? NEVER : fmin(rounds[c], large.values.round);
        good = error[1] <= 1e-3 ? good + 1 : 0;
    }
    summand__large_close(&large);
}

/* A cell is one run: those of number 0 without a flip, 1 + bit with. */
static void compute(const struct study *study, const void *context, int cell, double *values)
{
    (void)context;
    int run = cell % runs_of(study), number = cell / runs_of(study);
    rounds_to(summand__stream(study->seed, (uint64_t)(100 + run)), (int64_t)1 << log_of(study),
              number - 1, values);
}

struct extra {
    double mean, worst; /* rounds more than without the flip */
    double clean;       /* mean of the rounds without */
};

static struct extra extra_of(const double *values, int runs, int bit, int criterion)
{
    struct extra e = {0};
    for (int r = 0; r < runs; r++) {
        double clean = values[CRITERIA * r + criterion];
        double more = values[CRITERIA * ((1 + bit) * runs + r) + criterion] - clean;
        e.clean += clean / runs;
        e.mean += more / runs;
        e.worst = fmax(e.worst, more);
    }
    return e;
}

int figure_13(struct study *study)
{
    int runs = runs_of(study);
    struct study_grid grid = {(1 + BITS) * runs, CRITERIA, NULL, compute};
    double *values = study_compute(study, &grid);
    FILE *csv = values ? study_csv(study, "bit,criterion,mean_extra,worst_extra,mean_clean") : NULL;
    if (!csv) {
        free(values);
        return 1;
    }
    static const char *const names[CRITERIA] = {"root", "all ranks"};
    struct svg_point points[CRITERIA][BITS];
    struct svg_series series[CRITERIA];
    printf("  N = 2^%d, %d runs per bit, tau 0.5\n", log_of(study), runs);
    for (int c = 0; c < CRITERIA; c++) {
        double worst = 0, largest_mean = 0, mean = 0;
        series[c] = (struct svg_series){names[c], 2 * c, BITS, points[c]};
        for (int bit = 0; bit < BITS; bit++) {
            struct extra e = extra_of(values, runs, bit, c);
            fprintf(csv, "%d,%s,%g,%g,%g\n", bit, names[c], e.mean, e.worst, e.clean);
            points[c][bit] = (struct svg_point){bit, e.mean, fmin(e.mean, 0), e.worst};
            worst = fmax(worst, e.worst);
            largest_mean = fmax(largest_mean, e.mean / e.clean);
            mean += e.mean / e.clean / BITS;
        }
        study_claim(study, worst <= 1, "%s: at most one extra round: %.0f at most", names[c],
                    worst);
        study_claim(study, largest_mean < 0.01,
                    "%s: mean overhead below 1 %% for every bit: %.2f %% at most, %.2f %% over all "
                    "bits",
                    names[c], 100 * largest_mean, 100 * mean);
    }
    study_csv_close(study);
    struct svg_chart chart = {.title = "mean; bars reach to the worst run",
                              .x_label = "position of the flipped bit",
                              .y_label = "extra rounds",
                              .count = CRITERIA,
                              .series = series};
    free(values);
    return study_draw(study, "Figure 13: HPFLC with one flip, single precision, eps 1e-3", &chart,
                      1);
}
