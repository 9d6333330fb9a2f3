/* SPDX-License-Identifier: BSD-3-Clause */
/* summand-study scaling: predicted times of sums over the number of ranks, figure 4.4 of Stelz
 * (2022); or of the index tree over the rule by which messages leave, its figure B.1. */
#include <string.h>

#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/common/methods.h"
#include "cli/options/model.h"
#include "cli/options/numbers.h"
#include "cli/output/json.h"
#include "cli/output/output.h"
#include "cli/output/table.h"
#include "cli/plot/svg.h"
#include "cli/ranks/interrupt.h"
#include "lab/index_tree/messages.h"
#include "lab/index_tree/predicted.h"

extern const struct command study_scaling;

enum { MOST_RANKS = 1 << 16, LINES = 5 };
enum { WIDTH = SVG_PAGE - 20, HEIGHT = 380 };

/* What is drawn: charts of lines over one list of numbers. */
struct drawing {
    const char *path; /* or NULL */
    int count;
    struct svg_point point[2][LINES][NUMBERS_MOST]; /* of two charts */
};

static void note(struct drawing *drawing, int chart, int line, double x, double y)
{
    drawing->point[chart][line][drawing->count] = (struct svg_point){x, y, y, y};
}

static void draw_chart(FILE *out, struct drawing *drawing, int number, struct svg_chart chart,
                       const char *const *names)
{
    struct svg_series series[LINES] = {{0}};
    for (; chart.count < LINES && names[chart.count]; chart.count++)
        series[chart.count] = (struct svg_series){.name = names[chart.count],
                                                  .style = chart.count,
                                                  .points = drawing->count,
                                                  .point = drawing->point[number][chart.count]};
    chart.series = series;
    chart.top = number * HEIGHT;
    chart.width = WIDTH;
    chart.height = HEIGHT;
    chart.labels = true;
    svg_chart(out, &chart);
}

/* `charts` has one chart, or two; names: of the lines, ended by NULL. */
static int draw(struct drawing *drawing, const char *title, const struct svg_chart *charts,
                int count, const char *const *names)
{
    struct output output;
    if (!drawing->path || !drawing->count)
        return 0;
    if (!output_open(&output, study_scaling.name, drawing->path))
        return 1;
    svg_begin(output.file, WIDTH, HEIGHT * count, title);
    for (int c = 0; c < count; c++)
        draw_chart(output.file, drawing, c, charts[c], names);
    svg_end(output.file);
    return !output_close(&output, true);
}

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

static void note_times(struct drawing *drawing, int ranks, const struct summand__sum_times *times,
                       const struct summand__sum_times *one)
{
    const double now[] = {times->nodes, times->forests, times->exact, times->loop};
    const double alone[] = {one->nodes, one->forests, one->exact, one->loop};
    for (int i = 0; i < 4; i++) {
        note(drawing, 0, i, ranks, now[i] > 0 ? alone[i] / now[i] : 1);
        note(drawing, 1, i, ranks, now[i]);
    }
    drawing->count++;
}

static int draw_times(struct drawing *drawing, uint64_t n)
{
    static const char *const names[] = {"tree, as in the thesis", "tree", "exact",
                                        "loop and all-reduce", NULL};
    char title[96];
    snprintf(title, sizeof title, "Sums of %llu elements, predicted", (unsigned long long)n);
    const struct svg_chart charts[] = {
        {.title = title, .x_label = "ranks", .y_label = "speed-up"},
        {.title = title, .x_label = "ranks", .y_label = "time", .y_unit = SVG_TIME, .log_y = true}};
    return draw(drawing, title, charts, 2, names);
}

static int scale(struct summand__sum_request *request, const struct numbers *ranks, bool json,
                 struct drawing *drawing)
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
        note_times(drawing, request->ranks, &times, &one);
    }
    const int drawn = interrupted() ? 0 : draw_times(drawing, request->n);
    if (!json || drawn) {
        json_decref(rows);
        table_end(&table, json ? NULL : stdout);
        return drawn;
    }
    table_end(&table, NULL);
    object = json_head(study_scaling.name);
    json_object_update_new(object,
                           json_make("Ifoo", "n", (json_int_t)request->n, "t_add", request->add,
                                     "model", model_json(&request->model), "ranks", rows));
    return write_json(study_scaling.name, object, NULL);
}

/* The time of the thesis' tree for each number of values of a message, and each number of summands
 * of a subtree before which a message leaves. */
static int scale_rules(struct summand__sum_request *request, const struct numbers *flushes,
                       bool json, struct drawing *drawing)
{
    static const int values[LINES] = {1, 2, 4, 16, SUMMAND__OUTBOUND_MAX};
    static const char *const names[LINES + 1] = {"1 value", "2", "4", "16", "64", NULL};
    struct table table;
    json_t *rows = json_array(), *object;
    char title[128];
    table_begin(&table, "flush|1 value, us|2|4|16|64");
    for (int i = 0; i < flushes->count && !interrupted(); i++) {
        table_cell(&table, "%lld", flushes->value[i]);
        for (int v = 0; v < LINES; v++) {
            struct summand__sum_times times;
            request->rule = (struct summand__outbound_rule){values[v], (uint64_t)flushes->value[i]};
            need(summand__sum_predicted(request, &times) ? request : NULL);
            table_cell(&table, "%.4g", times.nodes * 1e6);
            note(drawing, 0, v, (double)flushes->value[i], times.nodes);
            json_array_append_new(rows, json_make("Iif", "flush", (json_int_t)flushes->value[i],
                                                  "buffer", values[v], "nodes", times.nodes));
        }
        drawing->count++;
    }
    snprintf(title, sizeof title, "The index tree of %llu elements on %d ranks, predicted",
             (unsigned long long)request->n, request->ranks);
    const struct svg_chart chart = {.title = title,
                                    .x_label = "a message leaves before a subtree of more summands",
                                    .y_label = "time",
                                    .y_unit = SVG_TIME,
                                    .log_x = true};
    const int drawn = interrupted() ? 0 : draw(drawing, title, &chart, 1, names);
    table_end(&table, json || drawn ? NULL : stdout);
    if (!json || drawn) {
        json_decref(rows);
        return drawn;
    }
    object = json_head(study_scaling.name);
    json_object_update_new(object, json_make("Iifoo", "n", (json_int_t)request->n, "ranks",
                                             request->ranks, "t_add", request->add, "model",
                                             model_json(&request->model), "rules", rows));
    return write_json(study_scaling.name, object, NULL);
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    const char *list = "1,16,80..880+80", *model = NULL, *rules = NULL;
    long long n = 21410970, per_node = 80, buffer = SUMMAND__OUTBOUND_VALUES,
              flush = SUMMAND__OUTBOUND_SUMMANDS;
    double t_add = SUMMAND__T_ADD * 1e9;
    int distribution = SUMMAND__EVEN_LOWER;
    struct summand__sum_request request = {.alpha = SUMMAND__ALPHA};
    struct numbers ranks, flushes = {0};
    struct drawing drawing = {0};
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
        {"flushes", 0, OPTION_TEXT, &rules, "LIST",
         "on one number of ranks: the tree for each of these in place of --flush, and for messages "
         "of 1 to 64 values in place of --buffer",
         NULL},
        {"plot", 0, OPTION_OUTPUT, &drawing.path, "FILE", "draw the lines (SVG)", NULL},
        {"json", 'j', OPTION_FLAG, &json, NULL, "print JSON", NULL},
        {0}};
    static const char *const of_one[] = {"buffer", "flush", NULL};
    const int first = parse_options(parsing, &study_scaling, rows, argc, argv, &help);
    if (help || first < 0)
        return help ? 0 : 2;
    if (first < argc)
        return misuse(study_scaling.name, "%s: no operand expected", argv[first]);
    if (!read_numbers_by(list, 1, MOST_RANKS, 2, &ranks))
        return misuse(study_scaling.name, "--ranks: '%s' is not a list of integers from 1 to %d",
                      list, MOST_RANKS);
    if (!options_only_with(parsing, study_scaling.name, "one rule (no --flushes)", !rules, of_one))
        return 2;
    if (rules && (ranks.count > 1 || !read_numbers_by(rules, 1, 1LL << 60, 4, &flushes)))
        return misuse(study_scaling.name,
                      "--flushes: '%s' is not a list of integers from 1 on, "
                      "or there are several numbers of ranks",
                      rules);
    if (!model_get(study_scaling.name, model, NULL, &request.model))
        return 2;
    request.model.per_node = (double)per_node;
    request.n = (uint64_t)n;
    request.distribution = (enum summand__distribution_kind)distribution;
    request.rule = (struct summand__outbound_rule){(int)buffer, (uint64_t)flush};
    request.add = t_add * 1e-9;
    interrupt_listen();
    request.ranks = (int)ranks.value[0];
    const int status = rules ? scale_rules(&request, &flushes, json, &drawing)
                             : scale(&request, &ranks, json, &drawing);
    return interrupted() ? interrupt_say(study_scaling.name) : status;
}

const struct command study_scaling = {
    .name = "scaling",
    .summary = "predicted times of sums over the number of ranks: the tree, exact, a loop",
    .synopsis = "scaling [--ranks LIST] [--n N] [--plot FILE] [options]",
    .examples = "  summand-study scaling\n"
                "  summand-study scaling --ranks 256 --n 504850 --distribution balanced\n"
                "  summand-study scaling --ranks 256 -k 256 --n 504850 --flushes 1..1m --plot "
                "flush.svg\n",
    .run = run,
};
