/* SPDX-License-Identifier: BSD-3-Clause */
/* summand predict: predicts the time of every algorithm without running any. */
#include <stdlib.h>
#include <string.h>

#include "bench/need.h"
#include "cli/algorithms/options_of_calls.h"
#include "cli/common/cli.h"
#include "cli/options/model.h"
#include "cli/output/setting.h"
#include "cli/output/text.h"
#include "cli/ranks/interrupt.h"
#include "cli/train/train.h"
#include "cli/tune/comparison.h"

extern const struct command command_predict;

struct predict_options {
    struct call_options call;
    bool rank_order, tune, combining, csv, json, path, print_model;
    const char *svg;
    double memory, patience;
};

static void print_path(const struct comparison *comparison)
{
    int best = comparison->best[0];
    const struct comparison_setup *setup = comparison->setup;
    struct summand__predict predict = {.trace = true};
    if (best < 0 ||
        !comparison_predict(setup, comparison->algorithm[best],
                            comparison_at(comparison, best, 0)->parameter,
                            comparison_ranks(setup, 0), comparison_count(setup, 0), &predict)) {
        if (predict.fault[0])
            complain("predict", "critical path: %s", predict.fault);
        return;
    }
    size_t length = 0, at = 0;
    for (uint32_t s = predict.last_span; s != SUMMAND__NO_SPAN; s = predict.spans[s].cause)
        length++;
    uint32_t *chain = need(malloc((length + 1) * sizeof *chain));
    for (uint32_t s = predict.last_span; s != SUMMAND__NO_SPAN; s = predict.spans[s].cause)
        chain[at++] = s;
    printf("\ncritical path of %s, us:\n", comparison->algorithm[best]->name);
    while (at--) {
        const struct summand__span *span = &predict.spans[chain[at]];
        char peer[32] = "";
        if (span->peer >= 0)
            snprintf(peer, sizeof peer, " %s %d", span->kind == SUMMAND__SPAN_RECV ? "from" : "to",
                     span->peer);
        print_line("%12.3f %12.3f  rank %-7d %-6s%s  %zu byte%s", span->begin * 1e6,
                   span->end * 1e6, span->rank, summand__span_name(span->kind), peer, span->bytes,
                   text_plural((long long)span->bytes));
    }
    free(chain);
    summand__predict_free(&predict);
}

static int show(const struct predict_options *o, const struct comparison *comparison)
{
    if (o->svg && !comparison_svg(comparison, o->svg))
        return 1;
    if (o->json)
        return comparison_json(comparison) ? 1 : 0;
    if (o->csv)
        comparison_csv(comparison);
    else if (!o->svg || strcmp(o->svg, "-"))
        comparison_print(comparison);
    if (o->path && !o->csv)
        print_path(comparison);
    return 0;
}

static int show_model(const struct summand__model *model, bool json)
{
    if (!json) {
        model_print(model, stdout);
        return 0;
    }
    json_t *object = json_head("predict");
    json_object_set_new(object, "model", model_json(model));
    return write_json("predict", object, NULL);
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    /* Training has a formula and options of its own. */
    if (argc > 1 && !strcmp(argv[1], "train"))
        return command_predict_train.run(parsing, argc - 1, argv + 1);
    struct predict_options o = {
        .call = {.ranks = "576", .count = "1000", .element = 4}, .memory = 4, .patience = 60};
    bool help;
    const struct option_row rows[] = {
        CALL_OPTIONS(o.call),
        {"rank-order", 0, OPTION_FLAG, &o.rank_order, NULL,
         "only algorithms that combine in rank order, so for any operator; of outer: pairs in "
         "order",
         NULL},
        {"tune", 0, OPTION_FLAG, &o.tune, NULL,
         "try radices and numbers of leaders too, not only segments", NULL},
        {"combining", 0, OPTION_FLAG, &o.combining, NULL,
         "the schedule that runs where messages within a node are combined as they arrive", NULL},
        {"path", 0, OPTION_FLAG, &o.path, NULL,
         "print the critical path of the fastest algorithm (for one rank count and size)", NULL},
        {"json", 'j', OPTION_FLAG, &o.json, NULL, "print JSON", NULL},
        {"csv", 0, OPTION_FLAG, &o.csv, NULL, "print CSV", NULL},
        {"plot", 0, OPTION_OUTPUT, &o.svg, "FILE", "draw time against size or ranks; - for stdout",
         NULL},
        {"memory", 0, OPTION_REAL, &o.memory, "GB", "leave out predictions whose steps need more",
         NULL, ABOVE_ZERO, 1e6},
        {"patience", 0, OPTION_REAL, &o.patience, "S",
         "leave out predictions that take more seconds of processor time", NULL, ABOVE_ZERO, 1e9},
        {"print-model", 0, OPTION_FLAG, &o.print_model, NULL, "print the model's file and stop",
         NULL},
        {0},
    };
    struct comparison_setup setup = {.rank_order = false};
    struct comparison comparison;
    int operand = parse_options(parsing, &command_predict, rows, argc, argv, &help);
    if (operand < 0 || help)
        return help ? 0 : 2;
    if (operand < argc)
        return misuse("predict", "%s: no operands expected", argv[operand]);
    if (!call_collective("predict", &o.call, SUMMAND__COLL_REDUCE, &setup.collective) ||
        !call_setup("predict", parsing, &o.call, &setup))
        return 2;
    if (o.print_model)
        return show_model(&setup.model, o.json);
    if (o.json + o.csv + o.path > 1)
        return misuse("predict", "--json, --csv and --path exclude each other");
    if (setup.ranks.count > 1 && setup.counts.count > 1)
        return misuse("predict", "--ranks and --%s are both lists; one of them may be",
                      setup.outer.rows ? "pairs" : "count");
    if (o.path && setup.ranks.count * setup.counts.count > 1)
        return misuse("predict", "--path: one rank count and one element count are expected");
    if (setup.outer.inside && !comparison_runs_inside(&setup, summand__algorithm_named(setup.only)))
        return misuse("predict", "%s runs no %s inside", setup.only, setup.outer.inside->name);
    setup.patience = o.patience;
    setup.rank_order = o.rank_order;
    setup.tune = o.tune;
    setup.combines = o.combining;
    setup.most_bytes = (size_t)(o.memory * 1e9);
    interrupt_listen();
    if (!comparison_run(&setup, &comparison))
        return 1;
    bool any = false;
    for (int p = 0; p < comparison.points; p++)
        any = any || comparison.best[p] >= 0;
    const char *name = summand__collective_name(setup.collective);
    int status = 0;
    if (any || (interrupted() && (o.json || o.csv))) /* then files say that they have no result */
        status = show(&o, &comparison);
    else if (!interrupted())
        status = setup.only && !comparison.algorithms
                     ? complain("predict", "%s cannot do %s%s", setup.only, name,
                                o.rank_order ? " in rank order" : "")
                     : complain("predict", "no %s could be predicted", name);
    comparison_free(&comparison);
    nodes_free(&setup.nodes);
    if (interrupted())
        return interrupt_say("predict");
    return status;
}

const struct command command_predict = {
    .name = "predict",
    .summary = "how long every algorithm takes on a machine, without running it",
    .synopsis = "predict [options]",
    .examples =
        "  summand predict --ranks 64 --count 1..1m:32         # reduce, by all algorithms\n"
        "  summand predict -c allreduce -p 16..112+32          # time against the rank count\n"
        "  summand predict -p 128k -n 1 -a binomial --model eth48\n"
        "  summand predict -p 64 --set network.latency=5e-6 --plot time.svg -n 1..100k\n"
        "  summand predict -c outer -p 48 -k 1 --shape 784,512 --pairs 1,16 --result rows\n"
        "  summand predict train --ranks 8                     # stages on groups (--help)\n"
        "  summand-study predict -a binary-cut                 # an algorithm of a paper\n",
    .parallel = false,
    .run = run,
};
