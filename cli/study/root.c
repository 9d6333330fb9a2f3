/* SPDX-License-Identifier: BSD-3-Clause */
/* summand-study root: the root's error by its tree of ancestors. */
#include "cli/gossip/gossip.h"
#include "cli/output/setting.h"
#include "cli/output/text.h"
#include "cli/ranks/interrupt.h"
#include "cli/study/experiment.h"

#include "lab/gossip/ancestors.h"
#include "lab/gossip/interval.h"
#include "lab/gossip/rounds.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct options {
    long long nodes, seed, data_seed, most, runs, threads;
    double eps, truth;
    int data;
    const char *keep;
    bool json;
};

enum { ROUNDS, REACHED, WIDTH };

static double datum(const void *context, int64_t i)
{
    const struct options *o = context;
    return summand__datum((enum summand__data_kind)o->data, (uint64_t)o->data_seed, o->nodes, i);
}

/* Two nodes alternate: there is no cycle and no tree. */
static int rounds_of_two(const struct options *o, uint64_t seed, double *error)
{
    struct summand__rounds sim;
    struct summand__rounds_setup setup = {.algorithm = summand__gossip_named("hps"),
                                          .arith = &summand__arith_double,
                                          .n = o->nodes,
                                          .seed = seed,
                                          .tau = -1,
                                          .threads = 1,
                                          .value = datum,
                                          .context = o,
                                          .truth = o->truth};
    double largest;
    *error = INFINITY;
    if (!summand__rounds_open(&sim, &setup))
        return 0;
    summand__rounds_error(&sim, error, &largest);
    while (!(*error <= o->eps) && sim.round < o->most) {
        summand__rounds_step(&sim, NULL, 0);
        summand__rounds_error(&sim, error, &largest);
    }
    int rounds = sim.round;
    summand__rounds_close(&sim);
    return rounds;
}

/* A cell is one schedule. */
static void compute(const struct study *study, const void *context, int cell, double *values)
{
    const struct options *o = context;
    double errors[SUMMAND__ANCESTORS_MOST + 1];
    if (o->nodes == 2) {
        values[ROUNDS] = rounds_of_two(o, study->seed + (uint64_t)cell, &errors[0]);
        values[REACHED] = errors[0] <= o->eps;
        return;
    }
    int rounds = summand__ancestors_root(o->nodes, study->seed + (uint64_t)cell,
                                         (enum summand__data_kind)o->data, (uint64_t)o->data_seed,
                                         o->truth, o->eps, (int)o->most, errors);
    values[ROUNDS] = rounds;
    values[REACHED] = errors[rounds] <= o->eps;
}

/* The standard deviation of the runs divided by the square root of their number. */
static double standard_error(const double *rounds, int runs, double mean)
{
    double squares = 0;
    for (int r = 0; r < runs; r++)
        squares += (rounds[r] - mean) * (rounds[r] - mean);
    return runs > 1 ? sqrt(squares / (runs - 1) / runs) : NAN;
}

static int report(const struct options *o, double *rounds, int runs, int missed, double seconds,
                  double mean_time)
{
    double median = summand__quantile(rounds, runs, 0.5);
    double mean = summand__interval_of_mean(rounds, runs).middle;
    double error = standard_error(rounds, runs, mean);
    if (!o->json) {
        print_line("%lld nodes, root's error to %g, %d run%s: median %g rounds (%g..%g), %d not "
                   "reached",
                   o->nodes, o->eps, runs, text_plural(runs), median, rounds[0], rounds[runs - 1],
                   missed);
        if (runs > 1)
            print_line("mean %.2f rounds, standard error %.2f", mean, error);
        print_line("%.2f s, of it %.2f s for the true mean", seconds, mean_time);
        return 0;
    }
    json_t *json = json_head("root");
    json_object_update_new(
        json, json_make("IfIffoffiff", "nodes", (json_int_t)o->nodes, "eps", o->eps, "runs",
                        (json_int_t)runs, "median", median, "mean", mean, "standard_error",
                        json_finite(error), "least", rounds[0], "most", rounds[runs - 1],
                        "not_reached", missed, "seconds", seconds, "seconds_for_mean", mean_time));
    return write_json("root", json, NULL);
}

static int measure(struct options *o)
{
    struct study study = {
        .directory = o->keep, .seed = (uint64_t)o->seed, .threads = (int)o->threads};
    double start = gossip_clock();
    o->truth = summand__data_mean((enum summand__data_kind)o->data, (uint64_t)o->data_seed,
                                  o->nodes, (int)o->threads);
    double mean_time = gossip_clock() - start;
    snprintf(study.name, sizeof study.name, "root-%lld-%g-%d-%lld-%lld", o->nodes, o->eps, o->data,
             o->data_seed, o->most);
    bool *finished = calloc((size_t)o->runs, sizeof *finished);
    struct study_grid grid = {(int)o->runs, WIDTH, o, compute, finished};
    double *values = finished ? study_compute(&study, &grid) : NULL;
    double *rounds = malloc((size_t)o->runs * sizeof *rounds);
    int missed = 0, runs = 0, status = 1;
    for (long long r = 0; values && rounds && r < o->runs; r++) {
        if (!finished[r])
            continue;
        rounds[runs++] = values[r * WIDTH + ROUNDS];
        missed += values[r * WIDTH + REACHED] == 0;
    }
    if (runs)
        status = report(o, rounds, runs, missed, gossip_clock() - start, mean_time);
    else if (!values || !rounds)
        complain("root", "out of memory");
    if (values && runs < o->runs)
        status = interrupt_say("root");
    else if (runs)
        study_part_remove(&study);
    free(values);
    free(rounds);
    free(finished);
    return status;
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct options o = {
        .nodes = 1 << 30, .seed = 1, .data_seed = 1, .most = 28, .eps = 1e-3, .runs = 100};
    const struct option_row rows[] = {
        {"nodes", 0, OPTION_INT, &o.nodes, "N", "number of nodes", NULL, 1, NO_MOST},
        {"eps", 'e', OPTION_REAL, &o.eps, "E", "stop at this relative error of the root", NULL, 0,
         DBL_MAX},
        {"most", 0, OPTION_INT, &o.most, "R", "stop after this many rounds (2^R leaves)", NULL, 1,
         SUMMAND__ANCESTORS_MOST},
        {"runs", 0, OPTION_INT, &o.runs, "K", "schedules, all on the same data", NULL, 1, 1 << 20},
        {"data", 0, OPTION_CHOICE, &o.data, "KIND", "initial data", summand__data_names},
        {"seed", 's', OPTION_INT, &o.seed, "S", "seed of the first schedule", NULL, ANY_SEED},
        {"data-seed", 0, OPTION_INT, &o.data_seed, "S", "seed of the data", NULL, ANY_SEED},
        {"threads", 0, OPTION_INT, &o.threads, "T", "else one per processor", NULL, THREADS},
        {"json", 'j', OPTION_FLAG, &o.json, NULL, "print JSON", NULL},
        {"checkpoint", 0, OPTION_FOLDER, &o.keep, "DIR",
         "keeps finished runs there until all are done, and goes on from them", NULL},
        {0}};
    bool help;
    int at = parse_options(parsing, &study_root, rows, argc, argv, &help);
    if (at < 0 || help)
        return at < 0 ? 2 : 0;
    if (o.keep && mkdir(o.keep, 0777) && errno != EEXIST)
        return complain("root", "%s: %s", o.keep, strerror(errno));
    interrupt_listen();
    return measure(&o);
}

const struct command study_root = {
    .name = "root",
    .summary = "rounds of HPS until the root is accurate, by the tree of its ancestors",
    .synopsis = "root [options]",
    .examples = "  summand-study root --nodes 1g --eps 1e-3 --runs 100\n"
                "  summand-study root --nodes 1m --eps 1e-3 --checkpoint kept\n",
    .run = run,
};
