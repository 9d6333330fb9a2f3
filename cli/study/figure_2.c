/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures 2 and 3: one flip in every bit, N = 32 hypercube: error and messages. */
#include "cli/study/experiment.h"

#include "lab/gossip/data.h"
#include "lab/gossip/interval.h"
#include "lab/gossip/rounds.h"

#include <math.h>
#include <stdlib.h>

enum { BITS = 64, ALGORITHMS = 5, LOG = 5, FLIP = 150, MOST = 500 };

static const char *const algorithms[ALGORITHMS] = {"pf", "pflc", "pfcc", "ps", "rd"};
static const char *const names[ALGORITHMS] = {"PF", "PFLC", "PFCC", "PS", "RD"};

enum { RUNS = 20, RUNS_FULL = 100 };
/* OF: begin of the messages of each run */
enum { ERROR, MESSAGES, ACCURATE, STAYS, CLEAN, OF, WIDTH = OF + STUDY_RUNS_MOST };

static int runs_of(const struct study *study)
{
    return study_runs(study, RUNS, RUNS_FULL);
}

struct data {
    uint64_t seed;
    int64_t nodes;
};

static double datum(const void *context, int64_t i)
{
    const struct data *data = context;
    return summand__datum(SUMMAND__DATA_UNIFORM, data->seed, data->nodes, i);
}

/* Recursive doubling with a flip in a random rank's partial result before a random step. */
static double doubling_error(const struct study *study, int bit, int number)
{
    uint64_t seed = summand__stream(study->seed, (uint64_t)number);
    struct summand__random random = {summand__stream(seed, 99)};
    int steps = study_log(study, LOG);
    struct data data = {seed, (int64_t)1 << steps};
    struct summand__rounds sim;
    struct summand__rounds_setup setup = {
        .algorithm = summand__gossip_named("rd"),
        .arith = &summand__arith_double,
        .n = data.nodes,
        .seed = seed,
        .tau = -1,
        .threads = 1,
        .value = datum,
        .context = &data,
        .truth = summand__data_mean(SUMMAND__DATA_UNIFORM, seed, data.nodes, 1)};
    struct summand__rounds_fault fault = {
        .fault = {SUMMAND__FAULT_INPUT, SUMMAND__FAULT_VALUE, bit},
        .rank = (int64_t)summand__random_below(&random, (uint64_t)data.nodes)};
    int when = (int)summand__random_below(&random, (uint64_t)steps);
    double root, largest = INFINITY;
    if (!summand__rounds_open(&sim, &setup))
        return INFINITY;
    for (int round = 0; round < steps; round++)
        summand__rounds_step(&sim, &fault, round == when);
    summand__rounds_error(&sim, &root, &largest);
    summand__rounds_close(&sim);
    return largest;
}

static void compute(const struct study *study, const void *context, int cell, double *values)
{
    int algorithm = cell / BITS, bit = cell % BITS, runs = runs_of(study);
    for (int k = 0; k < WIDTH; k++)
        values[k] = 0;
    for (int r = 0; r < runs; r++) {
        struct study_run run = {.algorithm = algorithms[algorithm],
                                .topology = context,
                                .tau = -1,
                                .bit = bit,
                                .after = FLIP,
                                .most = MOST};
        struct summand__events_outcome outcome = {0};
        if (algorithm == 4)
            outcome.error = doubling_error(study, bit, r);
        else
            outcome = study_events(study, &run, r);
        values[ERROR] = fmax(values[ERROR], outcome.error);
        values[MESSAGES] += outcome.messages / runs;
        values[OF + r] = outcome.messages;
        values[ACCURATE] += outcome.error <= 1e-14;
        values[STAYS] += algorithm < 4 && study_stays(study, &run, r);
        if (algorithm == 3) { /* the reference */
            run.after = -1;
            values[CLEAN] += study_events(study, &run, r).messages / runs;
        }
    }
}

static double *gather(struct study *study, const char *head)
{
    struct summand__topology topology;
    summand__topology_make(&topology, "hypercube", 1 << study_log(study, LOG), 1);
    struct study_grid grid = {ALGORITHMS * BITS, WIDTH, &topology, compute, NULL};
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

/* The number k of bits 0..k-1 that an algorithm survives with an error of at most 1e-13. */
static int survived(const double *values, int algorithm)
{
    int bit = 0;
    while (bit < BITS && at(values, algorithm, bit)[ERROR] <= 1e-13)
        bit++;
    return bit;
}

static int draw(const struct study *study, const char *what, struct svg_chart *chart)
{
    char title[64];
    snprintf(title, sizeof title, "%s, N = %d", what, 1 << study_log(study, LOG));
    return study_draw(study, title, chart, 1);
}

/* Over all runs and bits. */
static void say_passages(const struct study *study, const double *values, int algorithms_run)
{
    int all = BITS * runs_of(study);
    for (int a = 0; a < algorithms_run; a++) {
        double reached = 0, stayed = 0;
        for (int bit = 0; bit < BITS; bit++) {
            reached += at(values, a, bit)[ACCURATE];
            stayed += at(values, a, bit)[STAYS];
        }
        study_say_passage(study, names[a], (int)reached, all, (int)stayed, all, MOST);
    }
}

int figure_2(struct study *study)
{
    double *values = gather(study, "algorithm,bit,largest_error,messages_per_process,accurate");
    if (!values)
        return 1;
    say_passages(study, values, 4);
    int ps = survived(values, 3), rd = survived(values, 4);
    /* No run of n has a larger error, so at most this share of all runs has one. */
    double unseen = 100 * summand__interval_of_share(0, runs_of(study)).high;
    study_claim(study, ps < 20,
                "PS survives only low bits: 0..%d; criterion: error up to 1e-13 in all of %d runs "
                "per bit (95 %%: in all but 0..%.0f %%)",
                ps - 1, runs_of(study), unseen);
    study_claim(study, abs(ps - rd) <= 4,
                "PS and RD are alike: RD survives 0..%d; criterion: to 4 bits", rd - 1);
    double mantissa = fmax(worst(values, 0, 0, 51), worst(values, 0, 63, 63));
    study_claim(
        study, mantissa <= 1e-14,
        "PF survives mantissa and sign bits: largest error %.2g; criterion: 1e-14 in all runs "
        "(95 %%: in all but 0..%.2f %%)",
        mantissa, 100 * summand__interval_of_share(0, 53 * runs_of(study)).high);
    study_claim(study, worst(values, 0, 52, 62) > 1e-3,
                "PF fails in the exponent: largest error %.2g; criterion: above 1e-3",
                worst(values, 0, 52, 62));
    for (int a = 1; a <= 2; a++)
        study_claim(study, worst(values, a, 0, 63) <= 1e-14,
                    "%s reaches 1e-14 for every bit: largest error %.2g; criterion: in all runs "
                    "(95 %%: in all but 0..%.2f %%)",
                    names[a], worst(values, a, 0, 63),
                    100 * summand__interval_of_share(0, BITS * runs_of(study)).high);
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
    return draw(study, "Figure 2: error by flipped bit", &chart);
}

struct bits {
    int algorithm, from, to;
};

static double mean_of_run(const double *values, struct bits b, int run)
{
    double sum = 0;
    for (int bit = b.from; bit <= b.to; bit++)
        sum += at(values, b.algorithm, bit)[OF + run] / (b.to - b.from + 1);
    return sum;
}

/* Messages with a flip in these bits, relative to push-sum's without one. */
static struct summand__interval cost(const double *values, int runs, struct bits b)
{
    double of[STUDY_RUNS_MOST];
    for (int r = 0; r < runs; r++)
        of[r] = mean_of_run(values, b, r) / at(values, 3, 0)[CLEAN];
    return summand__interval_of_mean(of, runs);
}

/* The same for a minus b, run by run: both have the same data, times and neighbours. */
static struct summand__interval difference(const double *values, int runs, struct bits a,
                                           struct bits b)
{
    double of[STUDY_RUNS_MOST];
    for (int r = 0; r < runs; r++)
        of[r] = (mean_of_run(values, a, r) - mean_of_run(values, b, r)) / at(values, 3, 0)[CLEAN];
    return summand__interval_of_mean(of, runs);
}

static bool within(struct summand__interval i, double low, double high)
{
    return i.low >= low && i.high <= high;
}

static void judge_messages(struct study *study, const double *values)
{
    enum { PF, PFLC, PFCC, LOW = 20 /* bits up to it */ };
    int n = runs_of(study);
    struct summand__interval low = cost(values, n, (struct bits){PF, 0, LOW});
    study_claim(study, within(low, 1.4, 1.7),
                "PF variants need about 50 %% more than PS for low bits: %.2f (%.2f..%.2f) times; "
                "criterion: interval in 1.4..1.7",
                low.middle, low.low, low.high);
    struct summand__interval lc =
        difference(values, n, (struct bits){PFLC, 0, LOW}, (struct bits){0, 0, LOW});
    struct summand__interval cc =
        difference(values, n, (struct bits){PFCC, 0, LOW}, (struct bits){0, 0, LOW});
    study_claim(study, within(lc, -0.03, 0.03) && within(cc, -0.03, 0.03),
                "the variants do not differ for bits 0..%d: PFLC %+.3f (%+.3f..%+.3f), PFCC %+.3f "
                "(%+.3f..%+.3f) more than PF; criterion: intervals in -0.03..0.03",
                LOW, lc.middle, lc.low, lc.high, cc.middle, cc.low, cc.high);
    double least = INFINITY;
    for (int bit = 31; bit < BITS; bit++)
        for (int a = PF; a <= PFLC; a++)
            least = fmin(least, difference(values, n, (struct bits){a, bit, bit},
                                           (struct bits){PFCC, bit, bit})
                                    .low);
    study_claim(
        study, least > 0,
        "from bit 31 on PFCC needs fewer than PF and PFLC: by %.2f or more; criterion: each "
        "bit's interval above 0",
        least);
    lc = difference(values, n, (struct bits){PFLC, 31, 48}, (struct bits){PF, 31, 48});
    study_claim(study, within(lc, -0.03, 0.03),
                "PF and PFLC need the same up to about bit 48: PFLC %+.3f (%+.3f..%+.3f) in bits "
                "31..48; criterion: interval in -0.03..0.03",
                lc.middle, lc.low, lc.high);
    lc = difference(values, n, (struct bits){PF, 52, 62}, (struct bits){PFLC, 52, 62});
    study_claim(study, lc.low > 0,
                "beyond, PFLC corrects what PF does not: PF %+.2f (%+.2f..%+.2f) in bits 52..62; "
                "criterion: interval above 0",
                lc.middle, lc.low, lc.high);
    cc = difference(values, n, (struct bits){PFCC, 50, 61}, (struct bits){PFCC, 0, LOW});
    study_claim(study, within(cc, -0.05, 0.05),
                "PFCC is flat: %+.3f (%+.3f..%+.3f) in bits 50..61 over bits 0..%d; criterion: "
                "interval in -0.05..0.05",
                cc.middle, cc.low, cc.high, LOW);
}

int figure_3(struct study *study)
{
    double *values = gather(study, "algorithm,bit,largest_error,messages_per_process,accurate");
    if (!values)
        return 1;
    double clean = at(values, 3, 0)[CLEAN];
    say_passages(study, values, 3);
    judge_messages(study, values);
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
    return draw(study, "Figure 3: messages by flipped bit", &chart);
}
