/* SPDX-License-Identifier: BSD-3-Clause */
/* summand-study scaling: predicted times of sums over the number of ranks, figure 4.4 of Stelz
 * (2022). */
#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/common/interrupt.h"
#include "cli/common/json.h"
#include "cli/common/methods.h"
#include "cli/common/model.h"
#include "cli/common/numbers.h"
#include "cli/common/table.h"
#include "lab/index_tree/messages.h"
#include "lab/index_tree/predicted.h"

extern const struct command study_scaling;

enum { MOST_RANKS = 1 << 16 };

/* Nothing takes no time: no elements on one rank. */
static void put_ratio(struct table *table, const char *format, double time, double other)
{
    if (other > 0)
        table_cell(table, format, time / other);
    else
        table_cell(table, "-");
}

static void put_row(struct table *table, json_t *rows, int ranks,
                    const struct summand__sum_times *times, const struct summand__sum_times *one)
{
    const double seconds[] = {times->nodes, times->forests, times->exact, times->loop};
    table_cell(table, "%d", ranks);
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
        table_cell(table, "%.4g", seconds[i] * 1e6);
    put_ratio(table, "%.1f", one->nodes, times->nodes);
    put_ratio(table, "%.3g", times->nodes, times->loop);
    put_ratio(table, "%.3g", times->nodes, times->exact);
    json_array_append_new(rows,
                          json_make("iffff", "ranks", ranks, "nodes", times->nodes, "forests",
                                    times->forests, "exact", times->exact, "loop", times->loop));
}

static int scale(struct summand__sum_request *request, const struct numbers *ranks, bool json)
{
    struct summand__sum_times times, one;
    struct table table;
    json_t *rows = json_array(), *object;
    request->ranks = 1;
    need(summand__sum_predicted(request, &one) ? request : NULL);
    table_begin(&table, "ranks|tree, us|forests, us|exact, us|loop, us|speed-up|tree / loop|tree / "
                        "exact");
    for (int i = 0; i < ranks->count && !interrupted(); i++) {
        request->ranks = (int)ranks->value[i];
        need(summand__sum_predicted(request, &times) ? request : NULL);
        put_row(&table, rows, request->ranks, &times, &one);
    }
    if (!json) {
        json_decref(rows);
        table_end(&table, stdout);
        return 0;
    }
    table_end(&table, NULL);
    object = json_head(study_scaling.name);
    json_object_update_new(object,
                           json_make("Ifoo", "n", (json_int_t)request->n, "t_add", request->add,
                                     "model", model_json(&request->model), "ranks", rows));
    return write_json(study_scaling.name, object, NULL);
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    const char *list = "1,16,80..880+80", *model = NULL;
    long long n = 21410970, per_node = 80, buffer = SUMMAND__OUTBOUND_VALUES,
              flush = SUMMAND__OUTBOUND_SUMMANDS;
    double t_add = SUMMAND__T_ADD * 1e9;
    int distribution = SUMMAND__EVEN_LOWER;
    struct summand__sum_request request = {.alpha = SUMMAND__ALPHA};
    struct numbers ranks;
    bool json = false, help;
    const struct option_row rows[] = {
        {"ranks", 'p', OPTION_TEXT, &list, "LIST", "numbers of ranks", NULL},
        {"n", 'n', OPTION_INT, &n, "N", "number of elements of all ranks together", NULL, 0,
         1LL << 60},
        {"distribution", 0, OPTION_CHOICE, &distribution, "KIND", "of the elements",
         summand__distribution_names},
        {"t-add", 0, OPTION_REAL, &t_add, "NS", "nanoseconds per element of a rank", NULL, 0, 1e12},
        OUTBOUND_OPTIONS(buffer, flush),
        {"model", 0, OPTION_TEXT, &model, "NAME|FILE",
         "the machine, as for 'summand predict'; else ib36x16", NULL},
        {"per-node", 'k', OPTION_INT, &per_node, "K", "ranks on a node", NULL, 1, MOST_RANKS},
        {"json", 'j', OPTION_FLAG, &json, NULL, "print JSON", NULL},
        {0}};
    const int first = parse_options(parsing, &study_scaling, rows, argc, argv, &help);
    if (help || first < 0)
        return help ? 0 : 2;
    if (first < argc)
        return misuse(study_scaling.name, "%s: no operand expected", argv[first]);
    if (!read_numbers_by(list, 1, MOST_RANKS, 2, &ranks))
        return misuse(study_scaling.name, "--ranks: '%s' is not a list of integers from 1 to %d",
                      list, MOST_RANKS);
    if (!model_get(study_scaling.name, model, NULL, &request.model))
        return 2;
    request.model.per_node = (double)per_node;
    request.n = (uint64_t)n;
    request.distribution = (enum summand__distribution_kind)distribution;
    request.rule = (struct summand__outbound_rule){(int)buffer, (uint64_t)flush};
    request.add = t_add * 1e-9;
    interrupt_listen();
    const int status = scale(&request, &ranks, json);
    return interrupted() ? interrupt_say(study_scaling.name) : status;
}

const struct command study_scaling = {
    .name = "scaling",
    .summary = "predicted times of sums over the number of ranks: the tree, exact, a loop",
    .synopsis = "scaling [--ranks LIST] [--n N] [options]",
    .examples = "  summand-study scaling\n"
                "  summand-study scaling --ranks 256 --n 504850 --distribution balanced\n",
    .run = run,
};
