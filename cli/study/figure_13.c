/* SPDX-License-Identifier: BSD-3-Clause */
/* Figure 13: extra rounds of HPFLC for one flip in every bit of a flow, single precision, eps 1e-3;
 * by the error at the root and by the largest error over all ranks. */
#include "cli/study/experiment.h"

#include "lab/gossip/interval.h"
#include "lab/gossip/large.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 32, CRITERIA = 2, NEVER = 80, ROUNDS = 26 /* to strike in: to the end and beyond */ };
enum { WHEN = CRITERIA, WIDTH };

static int log_of(const struct study *study)
{
    return study_log(study, study->quick ? 14 : 20);
}

static int runs_of(const struct study *study)
{
    return study_runs(study, 20, 100);
}

/* The first rounds from which the root's and the largest error stay at most 1e-3. bit below 0: no
 * flip. Cost: a third of a second for 2^20 nodes. */
static void rounds_to(uint64_t seed, int64_t n, int bit, double *rounds)
{
    enum { AFTER = 4 }; /* rounds that the success must last */
    struct summand__random random = {summand__stream(seed, 13 + (uint64_t)(BITS + bit))};
    int when = (int)summand__random_below(&random, ROUNDS);
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
    rounds[WHEN] = when;
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

/* A cell is one run: number 0 without a flip, 1 + bit with one. */
static void compute(const struct study *study, const void *context, int cell, double *values)
{
    (void)context;
    int run = cell % runs_of(study), number = cell / runs_of(study);
    rounds_to(summand__stream(study->seed, (uint64_t)(100 + run)), (int64_t)1 << log_of(study),
              number - 1, values);
}

struct extra {
    double mean, worst; /* additional rounds by the flip */
    double clean;       /* mean of the rounds without */
    double high;        /* upper end of the mean's interval */
    int many;           /* runs with more than one */
};

/* The rounds that a flip adds; a flip after the end of the clean run adds none. */
static double more_rounds(const double *hit, const double *clean, int criterion)
{
    return hit[WHEN] < clean[criterion] ? hit[criterion] - clean[criterion] : 0;
}

static struct extra extra_of(const double *values, int runs, int bit, int criterion)
{
    struct extra e = {0};
    double of[SUMMAND__INTERVAL_MOST];
    for (int r = 0; r < runs; r++) {
        double clean = values[WIDTH * r + criterion];
        double more =
            more_rounds(values + WIDTH * ((1 + bit) * runs + r), values + WIDTH * r, criterion);
        e.clean += clean / runs;
        e.mean += more / runs;
        e.worst = fmax(e.worst, more);
        e.many += more > 1;
        of[r] = more;
    }
    e.high = summand__interval_of_mean(of, runs).high;
    return e;
}

/* The mean over all bits, relative to the rounds without a flip. Flips of one run share data and
 * schedule, so the interval is that of the runs' means. */
static struct summand__interval overhead(const double *values, int runs, int criterion)
{
    double of[SUMMAND__INTERVAL_MOST];
    for (int r = 0; r < runs; r++) {
        const double *clean = values + WIDTH * r;
        of[r] = 0;
        for (int bit = 0; bit < BITS; bit++)
            of[r] += more_rounds(values + WIDTH * ((1 + bit) * runs + r), clean, criterion) /
                     clean[criterion] / BITS;
    }
    return summand__interval_of_mean(of, runs);
}

/* Extra rounds over all bits, for flips in one round; returns the number of values. */
static int extra_by_round(const double *values, int runs, int round, int criterion,
                          struct summand__interval *mean, double *worst)
{
    double more[SUMMAND__INTERVAL_MOST];
    int count = 0;
    *worst = 0;
    for (int r = 0; r < runs * BITS; r++) {
        const double *hit = values + (size_t)WIDTH * (size_t)(runs + r);
        const double *clean = values + (size_t)WIDTH * (size_t)(r % runs);
        double extra = more_rounds(hit, clean, criterion);
        if ((int)hit[WHEN] != round || hit[WHEN] >= clean[criterion])
            continue;
        *worst = fmax(*worst, extra);
        if (count < SUMMAND__INTERVAL_MOST)
            more[count++] = extra;
    }
    *mean = summand__interval_of_mean(more, count);
    return count;
}

static int draw_rounds(struct study *study, const double *values, int runs)
{
    static const char *const names[CRITERIA] = {"root", "all ranks"};
    struct svg_point points[CRITERIA][ROUNDS];
    struct svg_series series[CRITERIA];
    struct study by_round = *study;
    snprintf(by_round.name, sizeof by_round.name, "figure13-rounds");
    FILE *csv = study_csv(&by_round, "round,criterion,flips,mean_extra,low,high,worst_extra");
    if (!csv)
        return 1;
    for (int c = 0; c < CRITERIA; c++) {
        series[c] = (struct svg_series){names[c], 2 * c, 0, points[c]};
        for (int round = 0; round < ROUNDS; round++) {
            struct summand__interval mean;
            double worst;
            int flips = extra_by_round(values, runs, round, c, &mean, &worst);
            if (!flips)
                continue;
            fprintf(csv, "%d,%s,%d,%g,%g,%g,%g\n", round, names[c], flips, mean.middle, mean.low,
                    mean.high, worst);
            points[c][series[c].points++] =
                (struct svg_point){round, mean.middle, fmin(mean.middle, 0), worst};
            if (worst > 1)
                study_say(study,
                          "  %s, flip in round %2d: mean %.2f extra rounds (%.2f..%.2f), "
                          "worst %.0f, %d flips",
                          names[c], round, mean.middle, mean.low, mean.high, worst, flips);
        }
    }
    study_csv_close(&by_round);
    struct svg_chart chart = {.title = "mean over all bits; bars reach to the worst run",
                              .x_label = "round of the flip",
                              .y_label = "extra rounds",
                              .beside = true,
                              .count = CRITERIA,
                              .series = series};
    return study_draw(&by_round, "Figure 13: extra rounds by the round of the flip", &chart, 1);
}

int figure_13(struct study *study)
{
    int runs = runs_of(study);
    study_note(study, " log %d rounds %d, drawn per flip", log_of(study), ROUNDS);
    struct study_grid grid = {(1 + BITS) * runs, WIDTH, NULL, compute, NULL};
    double *values = study_compute(study, &grid);
    FILE *csv = values ? study_csv(study, "bit,criterion,mean_extra,worst_extra,mean_clean") : NULL;
    if (!csv) {
        free(values);
        return 1;
    }
    static const char *const names[CRITERIA] = {"root", "all ranks"};
    struct svg_point points[CRITERIA][BITS];
    struct svg_series series[CRITERIA];
    study_say(study, "  N = 2^%d, %d runs per bit, tau 0.5, flips in rounds 0..%d", log_of(study),
              runs, ROUNDS - 1);
    for (int c = 0; c < CRITERIA; c++) {
        double worst = 0, largest_mean = 0, high = 0;
        int many = 0;
        series[c] = (struct svg_series){names[c], 2 * c, BITS, points[c]};
        for (int bit = 0; bit < BITS; bit++) {
            struct extra e = extra_of(values, runs, bit, c);
            fprintf(csv, "%d,%s,%g,%g,%g\n", bit, names[c], e.mean, e.worst, e.clean);
            points[c][bit] = (struct svg_point){bit, e.mean, fmin(e.mean, 0), e.worst};
            worst = fmax(worst, e.worst);
            largest_mean = fmax(largest_mean, e.mean / e.clean);
            high = fmax(high, e.high / e.clean);
            many += e.many;
        }
        struct summand__interval beyond = summand__interval_of_share(many, BITS * runs);
        struct summand__interval mean = overhead(values, runs, c);
        study_claim(study, !many,
                    "%s: at most one extra round: %.0f at most; more than one after %d of %d flips "
                    "(95 %%: %.1f..%.1f %%); criterion: none",
                    names[c], worst, many, BITS * runs, 100 * beyond.low, 100 * beyond.high);
        study_claim(study, largest_mean < 0.01,
                    "%s: mean overhead below 1 %% for every bit: %.2f %% at most (upper end %.2f "
                    "%%), %.2f %% (%.2f..%.2f %%) over all bits; criterion: the largest mean",
                    names[c], 100 * largest_mean, 100 * high, 100 * mean.middle, 100 * mean.low,
                    100 * mean.high);
    }
    study_csv_close(study);
    struct svg_chart chart = {.title = "mean; bars reach to the worst run",
                              .x_label = "position of the flipped bit",
                              .y_label = "extra rounds",
                              .beside = true,
                              .count = CRITERIA,
                              .series = series};
    int status = draw_rounds(study, values, runs);
    free(values);
    if (status)
        return status;
    return study_draw(study, "Figure 13: HPFLC with one flip, single precision, eps 1e-3", &chart,
                      1);
}
