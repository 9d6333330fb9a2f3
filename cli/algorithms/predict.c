/* summand predict: how long every algorithm takes, without running any. */
#include <stdlib.h>
#include <string.h>

#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/common/interrupt.h"
#include "cli/common/model.h"
#include "cli/common/options_of_calls.h"
#include "cli/common/setting.h"
#include "cli/tune/comparison.h"

extern const struct command command_predict;

static struct call_options call_options = {.ranks = "576", .count = "1000"};
static bool rank_order, tune, combining, csv, json, path, print_model;
static const char *svg;
static double memory = 4, patience = 60;

static const struct option_row rows[] = {
    CALL_OPTIONS(call_options),
    {"rank-order", 0, OPTION_FLAG, &rank_order, NULL, "only algorithms for any operator", NULL},
    {"tune", 't', OPTION_FLAG, &tune, NULL, "try radices and leaders too, not segments alone",
     NULL},
    {"combining", 0, OPTION_FLAG, &combining, NULL,
     "as it runs where messages within a node are combined as they arrive", NULL},
    {"path", 0, OPTION_FLAG, &path, NULL, "print the best one's critical path (one point)", NULL},
    {"json", 'j', OPTION_FLAG, &json, NULL, "print JSON", NULL},
    {"csv", 0, OPTION_FLAG, &csv, NULL, "print CSV", NULL},
    {"svg", 0, OPTION_TEXT, &svg, "FILE", "draw time against size or ranks; - for stdout", NULL},
    {"memory", 0, OPTION_REAL, &memory, "GB", "leave out predictions whose steps need more", NULL},
    {"patience", 0, OPTION_REAL, &patience, "S",
     "leave out predictions that take more seconds of processor time", NULL},
    {"print-model", 0, OPTION_FLAG, &print_model, NULL, "print the model's file and stop", NULL},
    {0},
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
        printf("%12.3f %12.3f  rank %-7d %-6s", span->begin * 1e6, span->end * 1e6, span->rank,
               summand__span_name(span->kind));
        if (span->peer >= 0)
            printf(" %s %d", span->kind == SUMMAND__SPAN_RECV ? "from" : "to", span->peer);
        printf("  %zu bytes\n", span->bytes);
    }
    free(chain);
    summand__predict_free(&predict);
}

static int show(const struct comparison *comparison)
{
    if (svg && !comparison_svg(comparison, svg))
        return 1;
    if (json)
        return comparison_json(comparison) ? 1 : 0;
    if (csv)
        comparison_csv(comparison);
    else if (!svg || strcmp(svg, "-"))
        comparison_print(comparison);
    if (path && !csv)
        print_path(comparison);
    return 0;
}

static int show_model(const struct summand__model *model)
{
    if (!json) {
        model_print(model, stdout);
        return 0;
    }
    json_t *object = json_head("predict");
    json_object_set_new(object, "model", model_json(model));
    return write_json("predict", object, NULL);
}

static int run(int argc, char **argv)
{
    bool help;
    struct comparison_setup setup = {.rank_order = false};
    struct comparison comparison;
    int operand = parse_options(&command_predict, rows, argc, argv, &help);
    if (operand < 0 || help)
        return help ? 0 : 2;
    if (operand < argc)
        return misuse("predict", "%s: no operands expected", argv[operand]);
    if (!call_collective("predict", &call_options, SUMMAND__COLL_REDUCE, &setup.collective) ||
        !call_setup("predict", &call_options, &setup))
        return 2;
    if (print_model)
        return show_model(&setup.model);
    if (json + csv + path > 1)
        return misuse("predict", "--json, --csv, --path: one of them");
    if (setup.ranks.count > 1 && setup.counts.count > 1)
        return misuse("predict", "--ranks and --count are both lists; one of them may be");
    if (path && setup.ranks.count * setup.counts.count > 1)
        return misuse("predict", "--path: wants one rank count and one element count");
    if (!(memory > 0 && memory < 1e6))
        return misuse("predict", "--memory: %g is not between 0 and 10^6", memory);
    if (!(patience > 0))
        return misuse("predict", "--patience: %g is not above 0", patience);
    setup.patience = patience;
    setup.rank_order = rank_order;
    setup.tune = tune;
    setup.combines = combining;
    setup.most_bytes = (size_t)(memory * 1e9);
    interrupt_listen();
    if (!comparison_run(&setup, &comparison))
        return 1;
    bool any = false;
    for (int p = 0; p < comparison.points; p++)
        any = any || comparison.best[p] >= 0;
    const char *name = summand__collective_name(setup.collective);
    int status = any ? show(&comparison)
                 : setup.only && !comparison.algorithms
                     ? complain("predict", "%s does no %s%s", setup.only, name,
                                rank_order ? " in rank order" : "")
                     : complain("predict", "no %s could be predicted", name);
    comparison_free(&comparison);
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
        "  summand predict -p 64 --set network.latency=5e-6 --svg time.svg -n 1..100k\n",
    .parallel = false,
    .run = run,
};
