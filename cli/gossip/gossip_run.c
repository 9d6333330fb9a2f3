/* SPDX-License-Identifier: BSD-3-Clause */
/* summand gossip run: asynchronous gossip in the discrete-event simulator. */
#include "cli/gossip/gossip.h"
#include "cli/output/text.h"

#include "base/nearest.h"
#include "cli/gossip/gossip_plot.h"
#include "cli/gossip/gossip_report.h"
#include "cli/gossip/gossip_script.h"

#include "lab/gossip/data.h"
#include "lab/gossip/events.h"
#include "lab/gossip/parallel.h"

#include <math.h>
#include <stdlib.h>

static const char *const variables[] = {"input", "flow", "message", NULL};
static const char *const norms[] = {"relative", "rms", "absolute", NULL};
static const char *const components[] = {"value", "weight", "checksum", "any", NULL};

struct options {
    const char *algorithm, *form, *topology, *period, *latency, *checkpoint, *data, *faults, *plot;
    long long nodes, seed, most, bit, after, stop_rank, runs;
    double eps, tau, loss, duplication, rate, stop_time, report, every;
    int kind, variable, component, norm;
    bool trace, stay, crossing, json;
};

struct view {
    const struct summand__events_setup *setup;
    double every, saved, cost; /* seconds: between saves; end of the last one; its duration */
    double asked;
    struct gossip_curve *curve;                                              /* or NULL */
    void (*show)(void *context, double time, double messages, double error); /* or NULL */
};

/* Saving takes at most a tenth of the time. */
static bool due(void *context)
{
    struct view *view = context;
    double now = gossip_clock();
    if (view->asked > 0) /* the time of 1024 events and a save */
        view->cost = now - view->asked;
    bool save = now - view->saved >= fmax(view->every, 10 * view->cost);
    view->asked = save ? now : 0;
    if (save)
        view->saved = now;
    return save;
}

static void trace(void *context, double time, double messages, double error)
{
    (void)context;
    printf("%g,%g,%g\n", time, messages, error);
}

/* The error falls at a nearly constant rate. */
static void show_progress(void *context, double time, double messages, double error)
{
    const struct summand__events_setup *setup = ((const struct view *)context)->setup;
    (void)time;
    double near = error > 0 && error < 1 ? log(error) / log(setup->eps) : error < 1;
    double done = fmin(1, fmax(near, messages / setup->most_messages));
    gossip_progress("run", done < 1 ? done : 0.999, 1);
}

static void note(void *context, double time, double messages, double error)
{
    const struct view *view = context;
    if (view->curve)
        gossip_curve_add(view->curve, messages, error);
    if (view->show)
        view->show(context, time, messages, error);
}

/* Shared by all runs. */
struct series {
    const struct options *options;
    struct summand__events_setup setup; /* of the first run */
    const double *own;                  /* initial data from a file; NULL: drawn for each run */
    struct gossip_curve *curves;        /* of each run, or NULL */
};

/* Run k uses the seeds after the first run's. */
static bool run_one(const struct series *series, int k, struct summand__events_outcome *outcome)
{
    const struct options *o = series->options;
    struct summand__events_setup setup = series->setup;
    double *drawn = malloc((size_t)o->nodes * sizeof *drawn);
    struct view view = *(const struct view *)setup.context;
    view.setup = &series->setup;
    view.curve = series->curves ? series->curves + k : NULL;
    setup.context = &view;
    setup.seed += (uint64_t)k;
    for (long long i = 0; drawn && i < o->nodes; i++)
        drawn[i] = series->own
                       ? series->own[i]
                       : summand__datum((enum summand__data_kind)o->kind, setup.seed, o->nodes, i);
    setup.values = drawn;
    outcome->wrong = "out of memory";
    bool good = drawn && summand__events_run(&setup, outcome);
    free(drawn);
    return good;
}

struct job {
    const struct series *series;
    struct summand__events_outcome *outcomes;
};

static void work(void *context, int t, int threads)
{
    const struct job *job = context;
    for (int k = t; k < job->series->options->runs; k += threads)
        run_one(job->series, k, &job->outcomes[k]);
}

static int draw(const struct options *o, const struct gossip_curve *curves)
{
    char title[128];
    snprintf(title, sizeof title, "%s/%s on %.40s, %lld node%s", o->algorithm, o->form, o->topology,
             o->nodes, text_plural(o->nodes));
    return gossip_plot("gossip run", o->plot, title, "messages per process", curves, NULL,
                       (int)o->runs);
}

static int simulate(const struct options *o, struct summand__events_setup *setup, const double *own)
{
    const char *self = "gossip run";
    struct summand__topology topology;
    setup->algorithm = summand__gossip_named(o->algorithm);
    setup->arith = summand__arith_named(o->form);
    if (!setup->algorithm || setup->algorithm->style != SUMMAND__ASYNCHRONOUS)
        return misuse(self, "--algorithm: '%s' is not one of ps, pf, pflc, pfcc", o->algorithm);
    if (!setup->arith)
        return misuse(self, "--form: '%s' is not one of double, single, fixed%s", o->form,
                      summand__nearest_in(o->form, "double, single, fixed").text);
    const char *wrong = summand__topology_make(&topology, o->topology, o->nodes, (uint64_t)o->seed);
    if (wrong)
        return misuse(self, "--topology: %s: %s", o->topology, wrong);
    struct view view = {.setup = setup, .every = o->every, .saved = gossip_clock()};
    setup->topology = &topology;
    view.show = o->runs > 1 ? NULL : o->trace ? trace : show_progress;
    setup->watch = o->plot || view.show ? note : NULL;
    setup->checkpoint = o->checkpoint;
    setup->due = due;
    setup->context = &view;
    if (o->trace)
        printf("time,messages_per_process,error\n");
    struct series series = {o, *setup, own, NULL};
    struct job job = {&series, calloc((size_t)o->runs, sizeof *job.outcomes)};
    if (o->plot)
        series.curves = calloc((size_t)o->runs, sizeof *series.curves);
    if (job.outcomes && o->runs > 1)
        summand__parallel(summand__threads(0), work, &job);
    else if (job.outcomes)
        work(&job, 0, 1);
    gossip_progress("run", 1, 1);
    summand__topology_free(&topology);
    wrong = job.outcomes ? NULL : "out of memory";
    for (int k = 0; !wrong && k < o->runs; k++)
        wrong = job.outcomes[k].wrong;
    struct gossip_report report = {o->algorithm, o->form,        o->topology,
                                   o->nodes,     norms[o->norm], o->eps,
                                   (int)o->runs, o->stay,        job.outcomes};
    int status = 0;
    if (!wrong)
        status = (o->json ? gossip_report_json : gossip_report_text)(&report);
    if (!wrong && !status && series.curves)
        status = draw(o, series.curves);
    gossip_curve_free(series.curves, (int)o->runs);
    free(job.outcomes);
    return wrong ? complain(self, "%s", wrong) : status;
}

static int check_and_simulate(const struct options *o, struct summand__events_setup *setup,
                              const double *own)
{
    const char *self = "gossip run";
    if (o->nodes < 1 || o->nodes > 1 << 20) /* then from a file */
        return misuse(self, "--topology: %lld nodes are not between 1 and 1048576", o->nodes);
    if (o->stop_rank >= o->nodes)
        return misuse(self, "--stop-rank: no process %lld among %lld", o->stop_rank, o->nodes);
    if (o->runs > 1 && (o->trace || o->checkpoint))
        return misuse(self, "--runs: must be 1 with --trace or --checkpoint");
    if (o->plot && o->runs > 256)
        return misuse(self, "--plot draws at most 256 runs");
    if (o->json && o->trace)
        return misuse(self, "--json and --trace exclude each other");
    if (!gossip_duration(self, "period", o->period, &setup->period) ||
        !gossip_duration(self, "latency", o->latency, &setup->latency))
        return 2;
    if (!(setup->period.mean > 0))
        return misuse(self, "--period: 0 is not above 0");
    return simulate(o, setup, own);
}

static struct summand__events_setup setup_of(const struct options *o)
{
    return (struct summand__events_setup){.seed = (uint64_t)o->seed,
                                          .tau = o->tau,
                                          .eps = o->eps,
                                          .norm = (enum summand__events_norm)o->norm,
                                          .stay = o->stay,
                                          .crossing = o->crossing,
                                          .most_messages = (int)o->most,
                                          .loss = o->loss,
                                          .duplication = o->duplication,
                                          .fault_after = (int)o->after,
                                          .fault_rate = o->rate,
                                          .stop_rank = o->stop_rank,
                                          .stop_time = o->stop_time,
                                          .report_delay = o->report,
                                          .fault = {(enum summand__fault_variable)o->variable,
                                                    (enum summand__fault_component)o->component,
                                                    (int)o->bit}};
}

/* Chooses the parameters that the user left open. */
static void choose_nodes(struct options *o)
{
    if (o->nodes < 0)
        o->nodes = summand__topology_nodes(o->topology, 32);
    if (!o->topology)
        o->topology = o->nodes & (o->nodes - 1) ? "full" : "hypercube";
}

static const struct options standard = {.algorithm = "pfcc",
                                        .form = "fixed",
                                        .data = "uniform",
                                        .runs = 1,
                                        .period = "0.9..1.1",
                                        .latency = "0.5..1",
                                        .nodes = -1,
                                        .seed = 1,
                                        .most = 1000,
                                        .bit = -1,
                                        .after = -1,
                                        .stop_rank = -1,
                                        .eps = 1e-12,
                                        .tau = -1,
                                        .stop_time = 50,
                                        .report = 10,
                                        .every = 5,
                                        .variable = 1};

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct options o = standard;
    const struct option_row rows[] = {
        {"algorithm", 'a', OPTION_TEXT, &o.algorithm, "NAME", "ps, pf, pflc or pfcc", NULL},
        {"form", 0, OPTION_TEXT, &o.form, "NAME", "double, single or fixed", NULL},
        {"topology", 0, OPTION_TEXT, &o.topology, "NAME",
         "default: hypercube, where N is no power of two full", NULL},
        {"nodes", 0, OPTION_INT, &o.nodes, "N",
         "number of processes; else those of the topology's file, or 32", NULL, 1, 1 << 20},
        {"data", 0, OPTION_TEXT, &o.data, "KIND|FILE",
         "initial data: uniform, ..., or a file of numbers, one per node", NULL},
        {"runs", 0, OPTION_INT, &o.runs, "K", "runs, with seeds S, S + 1, ...", NULL, 1, 1 << 20},
        {"stay", 0, OPTION_FLAG, &o.stay, NULL,
         "continue to --most messages after eps is reached, to see if runs stay within it", NULL},
        {"crossing", 0, OPTION_FLAG, &o.crossing, NULL,
         "messages of one edge may cross, as in the paper", NULL},
        {"json", 'j', OPTION_FLAG, &o.json, NULL, "print JSON", NULL},
        {"eps", 'e', OPTION_REAL, &o.eps, "E", "stop at this largest error, relative", NULL, 0,
         DBL_MAX},
        {"norm", 0, OPTION_CHOICE, &o.norm, "N", "eps is relative to mean or rms, or absolute",
         norms},
        {"tau", 0, OPTION_REAL, &o.tau, "T", "checksum threshold; else the algorithm's", NULL, 0,
         DBL_MAX},
        {"most", 0, OPTION_INT, &o.most, "M", "stop after this many messages of a process", NULL, 1,
         INT_MAX},
        {"seed", 's', OPTION_INT, &o.seed, "S", "seed of all random numbers", NULL, ANY_SEED},
        {"period", 0, OPTION_TEXT, &o.period, "D", "between sends: T, LOW..HIGH, exp:MEAN", NULL},
        {"latency", 0, OPTION_TEXT, &o.latency, "D", "time of a message on its way", NULL},
        {"loss", 0, OPTION_REAL, &o.loss, "P", "probability that a message is lost", NULL, 0, 1},
        {"duplication", 0, OPTION_REAL, &o.duplication, "P", "probability of two deliveries", NULL,
         0, 1},
        {"variable", 0, OPTION_CHOICE, &o.variable, "V", "what a flip hits", variables},
        {"component", 0, OPTION_CHOICE, &o.component, "C", "which part of it", components},
        {"bit", 0, OPTION_INT, &o.bit, "B", "which bit; else drawn", NULL, 0, 63},
        {"after", 0, OPTION_INT, &o.after, "M", "flip after this many messages of a process", NULL,
         0, INT_MAX},
        {"faults", 0, OPTION_TEXT, &o.faults, "LIST|FILE",
         "scripted flips: rank=R,to=R,variable=V,component=C,bit=B+B,after=M,burst=K,both;...",
         NULL},
        {"rate", 0, OPTION_REAL, &o.rate, "P", "flips per message sent", NULL, 0, 1},
        {"stop-rank", 0, OPTION_INT, &o.stop_rank, "R", "this process stops", NULL, 0,
         (1 << 20) - 1},
        {"stop-time", 0, OPTION_REAL, &o.stop_time, "T", "time at which that process stops", NULL,
         0, DBL_MAX},
        {"report", 0, OPTION_REAL, &o.report, "T", "delay until its neighbours know", NULL, 0,
         DBL_MAX},
        {"trace", 0, OPTION_FLAG, &o.trace, NULL, "print the error over time as CSV", NULL},
        {"plot", 0, OPTION_OUTPUT, &o.plot, "FILE", "draw the error of all runs as SVG", NULL},
        {"checkpoint", 0, OPTION_OUTPUT, &o.checkpoint, "FILE", "save and continue there", NULL},
        {"save-every", 0, OPTION_REAL, &o.every, "T", "seconds between two saves", NULL, 0,
         DBL_MAX},
        {0}};
    bool help;
    int at = parse_options(parsing, &gossip_run, rows, argc, argv, &help);
    if (at < 0 || help)
        return at < 0 ? 2 : 0;
    struct summand__events_setup setup = setup_of(&o);
    double *own = NULL;
    struct summand__scripted *script = NULL;
    if (!gossip_read_data("gossip run", o.data, &o.kind, &o.nodes, &own))
        return 2;
    if (!gossip_read_script("gossip run", o.faults, &script, &setup.scripted)) {
        free(own);
        return 2;
    }
    setup.script = script;
    choose_nodes(&o);
    int status = check_and_simulate(&o, &setup, own);
    free(own);
    free(script);
    return status;
}

const struct command gossip_run = {
    .name = "gossip run",
    .summary = "one run of asynchronous gossip in the discrete-event simulator, with faults",
    .synopsis = "gossip run [options]",
    .examples = "  summand gossip run --algorithm pf --form double --bit 56 --after 150\n"
                "  summand gossip run --loss 0.1 --duplication 0.1 --rate 1e-3\n"
                "  summand gossip run --stop-rank 5 --trace\n"
                "  summand gossip run --faults 'rank=3,to=2,bit=52+62,after=20,burst=3,both'\n"
                "  summand gossip run --runs 100 --stay --crossing --form double\n"
                "  summand gossip run --runs 20 --loss 0.05 --plot runs.svg\n"
                "  summand gossip run --data numbers.txt --json\n"
                "  summand gossip run --nodes 1024 --checkpoint run.bin\n",
    .run = run,
};
