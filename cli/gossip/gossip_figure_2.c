/* Figures 2 and 3: one flip in every bit, N = 32 hypercube: error and messages. */
#include "cli/gossip/gossip_interval.h"
#include "cli/gossip/gossip_study.h"

#include "lab/gossip/data.h"
#include "lab/gossip/rounds.h"

#include <math.h>
#include <stdlib.h>

enum { BITS = 64, ALGORITHMS = 5, NODES = 32, FLIP = 150 };
enum { ERROR, MESSAGES, ACCURATE, CLEAN, HALF, WIDTH }; /* half: of the interval of messages */

static const char *const algorithms[ALGORITHMS] = {"pf", "pflc", "pfcc", "ps", "rd"};
static const char *const names[ALGORITHMS] = {"PF", "PFLC", "PFCC", "PS", "RD"};

enum { RUNS = 20, RUNS_FULL = 100 };

static int runs_of(const struct study *study)
{
    return study->quick ? RUNS : RUNS_FULL;
}

static double datum(const void *context, int64_t i)
{
    return summand__datum(SUMMAND__DATA_UNIFORM, *(const uint64_t *)context, NODES, i);
}

/* Recursive doubling with a flip in some rank's partial result before some step. */
static double doubling_error(const struct study *study, int bit, int number)
{
    uint64_t seed = summand__stream(study->seed, (uint64_t)number);
    struct summand__random random = {summand__stream(seed, 99)};
    struct summand__rounds sim;
    struct summand__rounds_setup setup = {
        .algorithm = summand__gossip_named("rd"),
        .arith = &summand__arith_double,
        .n = NODES,
        .seed = seed,
        .tau = -1,
        .threads = 1,
        .value = datum,
        .context = &seed,
        .truth = summand__data_mean(SUMMAND__DATA_UNIFORM, seed, NODES, 1)};
    struct summand__rounds_fault fault = {
        .fault = {SUMMAND__FAULT_INPUT, SUMMAND__FAULT_VALUE, bit},
        .rank = (int64_t)summand__random_below(&random, NODES)};
    int when = (int)summand__random_below(&random, 5);
    double root, largest = INFINITY;
    if (!summand__rounds_open(&sim, &setup))
        return INFINITY;
    for (int round = 0; round < 5; round++)
        summand__rounds_step(&sim, &fault, round == when);
    summand__rounds_error(&sim, &root, &largest);
    summand__rounds_close(&sim);
    return largest;
}

static void compute(const struct study *study, const void *context, int cell, double *values)
{
    int algorithm = cell / BITS, bit = cell % BITS, runs = runs_of(study);
    double messages[RUNS_FULL];
    for (int k = 0; k < WIDTH; k++)
        values[k] = 0;
    for (int r = 0; r < runs; r++) {
        struct study_run run = {.algorithm = algorithms[algorithm],
                                .topology = context,
                                .tau = -1,
                                .bit = bit,
                                .after = FLIP,
                                .most = 500};
        struct summand__events_outcome outcome = {0};
        if (algorithm == 4)
            outcome.error = doubling_error(study, bit, r);
        else
            outcome = study_events(study, &run, r);
        values[ERROR] = fmax(values[ERROR], outcome.error);
        values[MESSAGES] += outcome.messages / runs;
        messages[r] = outcome.messages;
        values[ACCURATE] += outcome.error <= 1e-14;
        if (algorithm == 3) { /* what the others are measured by */
            run.after = -1;
            values[CLEAN] += study_events(study, &run, r).messages / runs;
        }
    }
    struct interval mean = interval_of_mean(messages, runs);
    values[HALF] = mean.high - mean.middle;
}

static double *gather(struct study *study, const char *head)
{
    struct summand__topology topology;
    summand__topology_make(&topology, "hypercube", NODES, 1);
    struct study_grid grid = {ALGORITHMS * BITS, WIDTH, &topology, compute};
    double *values = study_compute(study, &grid);
    summand__topology_free(&topology);
    FILE *csv = values ? study_csv(study, head) : NULL;
    if (!csv) {
        free(values);
        return NULL;
    }
    for (int cell = 0; cell < grid.cells; cell++) {
        const double *v = values + (size_t)cell * WIDTH;
        fprintf(csv, "%s,%d,%g,%g,%g\n", names[cell / BITS], cell % BITS, v[ERROR], v[MESSAGES],
                v[ACCURATE] / runs_of(study));
    }
    study_csv_close(study);
    return values;
}

static const double *at(const double *values, int algorithm, int bit)
{
    return values + (size_t)(algorithm * BITS + bit) * WIDTH;
}

static double worst(const double *values, int algorithm, int from, int to)
{
    double largest = 0;
    for (int bit = from; bit <= to; bit++)
        largest = fmax(largest, at(values, algorithm, bit)[ERROR]);
    return largest;
}

/* Bits 0..k-1 that an algorithm survives with an error of at most 1e-13. */
static int survived(const double *values, int algorithm)
{
    int bit = 0;
    while (bit < BITS && at(values, algorithm, bit)[ERROR] <= 1e-13)
        bit++;
    return bit;
}

int figure_2(struct study *study)
{
    double *values = gather(study, "algorithm,bit,largest_error,messages_per_process,accurate");
    if (!values)
        return 1;
    int ps = survived(values, 3), rd = survived(values, 4);
    study_claim(study, ps < 20, "PS survives only low bits: 0..%d", ps - 1);
    study_claim(study, abs(ps - rd) <= 4, "PS and RD are alike: RD survives 0..%d", rd - 1);
    double mantissa = fmax(worst(values, 0, 0, 51), worst(values, 0, 63, 63));
    study_claim(study, mantissa <= 1e-14, "PF survives mantissa and sign bits: largest error %.2g",
                mantissa);
    study_claim(study, worst(values, 0, 52, 62) > 1e-3,
                "PF fails in the exponent: largest error %.2g", worst(values, 0, 52, 62));
    for (int a = 1; a <= 2; a++)
        study_claim(study, worst(values, a, 0, 63) <= 1e-14,
                    "%s reaches 1e-14 for every bit: largest error %.2g", names[a],
                    worst(values, a, 0, 63));
    struct svg_point points[ALGORITHMS][BITS];
    struct svg_series series[ALGORITHMS];
    for (int a = 0; a < ALGORITHMS; a++) {
        for (int bit = 0; bit < BITS; bit++) {
            double y = fmin(1, study_clip(at(values, a, bit)[ERROR]));
            points[a][bit] = (struct svg_point){bit, y, y, y};
        }
        series[a] = (struct svg_series){names[a], a, BITS, points[a]};
    }
    struct svg_chart chart = {.title = "errors above 1 are drawn at 1",
                              .x_label = "position of the flipped bit",
                              .y_label = "largest relative error over all runs",
                              .log_y = true,
                              .count = ALGORITHMS,
                              .series = series};
    free(values);
    return study_draw(study, "Figure 2: error by flipped bit, N = 32", &chart, 1);
}

static double mean_over(const double *values, int algorithm, int from, int to)
{
    double sum = 0;
    for (int bit = from; bit <= to; bit++)
        sum += at(values, algorithm, bit)[MESSAGES] / (to - from + 1);
    return sum;
}

/* Half of the interval of that: all bits meet the same runs, so means of halves, not smaller. */
static double half_over(const double *values, int algorithm, int from, int to)
{
    double sum = 0;
    for (int bit = from; bit <= to; bit++)
        sum += at(values, algorithm, bit)[HALF] / (to - from + 1);
    return sum;
}

int figure_3(struct study *study)
{
    double *values = gather(study, "algorithm,bit,largest_error,messages_per_process,accurate");
    if (!values)
        return 1;
    double clean = at(values, 3, 0)[CLEAN];
    double low[3], high[3], half = half_over(values, 0, 0, 20) / clean;
    double wide = half_over(values, 1, 50, 61) / clean;
    for (int a = 0; a < 3; a++) {
        low[a] = mean_over(values, a, 0, 20) / clean;
        high[a] = mean_over(values, a, 50, 61) / clean;
    }
    study_claim(study, low[0] > 1.4 && low[0] < 1.7,
                "PF variants need about 50 %% more than PS for low bits: %.2f +-%.2f times; "
                "criterion: 1.4 to 1.7",
                low[0], half);
    study_claim(study, fabs(low[1] - low[0]) + fabs(low[2] - low[0]) < 0.03,
                "the variants do not differ for low bits: PFLC %.2f, PFCC %.2f, each +-%.2f; "
                "criterion: by less than 0.03",
                low[1], low[2], half);
    double before = mean_over(values, 1, 42, 47) / clean, pf = mean_over(values, 0, 42, 47) / clean;
    study_claim(study, fabs(before - pf) < 0.03,
                "PF and PFLC need the same up to about bit 48: %.2f, %.2f in bits 42..47, each "
                "+-%.2f; criterion: to 0.03",
                pf, before, half_over(values, 1, 42, 47) / clean);
    study_claim(study, high[1] > before + 0.05,
                "PFLC rises from about bit 49 on: %.2f in bits 42..47, %.2f +-%.2f in bits "
                "50..61; criterion: by 0.05 or more",
                before, high[1], wide);
    study_claim(study, fabs(high[2] - low[2]) < 0.05,
                "PFCC is flat: %.2f, %.2f +-%.2f in bits 50..61; criterion: to 0.05", low[2],
                high[2], half_over(values, 2, 50, 61) / clean);
    struct svg_point points[3][BITS];
    struct svg_series series[3];
    for (int a = 0; a < 3; a++) {
        for (int bit = 0; bit < BITS; bit++) {
            double y = at(values, a, bit)[MESSAGES] / clean;
            points[a][bit] = (struct svg_point){bit, y, y, y};
        }
        series[a] = (struct svg_series){names[a], a, BITS, points[a]};
    }
    struct svg_chart chart = {.title = "tau 0.5 (PFLC), 1e-10 (PFCC)",
                              .x_label = "position of the flipped bit",
                              .y_label = "messages relative to push-sum without flip",
                              .count = 3,
                              .series = series};
    free(values);
    return study_draw(study, "Figure 3: messages by flipped bit, N = 32", &chart, 1);
}
