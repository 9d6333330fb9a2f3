/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures 2 to 12 of Enderlin et al., "Distributed sum of outer products" (ETH), from files of
 * `summand bench outer --json` of several launches. */
#include "cli/study/outer.h"

#include <math.h>
#include <string.h>

#include "cli/common/cli.h"
#include "cli/output/table.h"

extern const struct command study_outer;

/* From Figure 2 on. */
static const struct outer_figure figures[] = {
    {2, OUTER_SPEEDUP, 0.5}, {3, OUTER_SPEEDUP, 0.1}, {4, OUTER_TIME, 0.9},
    {5, OUTER_VIOLINS, 0.5}, {6, OUTER_SPEEDUP, 0.1}, {7, OUTER_SPEEDUP, 0.5},
    {8, OUTER_SPEEDUP, 0.9}, {9, OUTER_TIME, 0.1},    {10, OUTER_TIME, 0.5},
    {11, OUTER_TIME, 0.9},   {12, OUTER_VIOLINS, 0.5}};

static void put_rows(const struct outer_measured *measured, const struct outer_figure *figure,
                     struct table *table)
{
    const double unit = figure->kind == OUTER_SPEEDUP ? 1 : 1e-6;
    for (int i = 0; i < measured->count; i++) {
        const struct outer_observed *of = &measured->observed[i];
        const struct summand__interval value = outer_value(measured, of, figure);
        table_cell(table, measured->simulated ? "%d, simulated" : "%d", measured->ranks);
        table_cell(table, "%s", of->shape);
        table_cell(table, "%lld", of->pairs);
        table_cell(table, "%s", of->method);
        table_cell(table, isnan(value.middle) ? "-" : "%.3f", value.middle / unit);
        table_cell(table, isnan(value.low) ? "-" : "%.3f", value.low / unit);
        table_cell(table, isnan(value.high) ? "-" : "%.3f", value.high / unit);
        table_cell(table, "%d", of->count);
    }
}

static int write_results(const struct outer_measured *measured, int files,
                         const struct outer_figure *figure)
{
    json_t *results = json_array(), *object = json_head("outer");
    for (int f = 0; f < files; f++)
        for (int i = 0; i < measured[f].count; i++) {
            const struct outer_observed *of = &measured[f].observed[i];
            const struct summand__interval value = outer_value(&measured[f], of, figure);
            json_t *one = json_make("isIsis", "ranks", measured[f].ranks, "shape", of->shape,
                                    "pairs", (json_int_t)of->pairs, "algorithm", of->method,
                                    "launches", of->count, "simulated", measured[f].simulated);
            json_object_set_new(one, "value", json_finite(value.middle));
            json_object_set_new(one, "low", json_finite(value.low));
            json_object_set_new(one, "high", json_finite(value.high));
            json_array_append_new(results, one);
        }
    json_object_update_new(object, json_make("isfo", "figure", figure->figure, "quantity",
                                             figure->kind == OUTER_SPEEDUP ? "speed-up" : "seconds",
                                             "quantile", figure->quantile, "results", results));
    return write_json("outer", object, NULL);
}

static int show(const struct outer_measured *measured, int files, const struct outer_figure *figure,
                const char *path, bool json)
{
    struct table table;
    char title[128];
    if (json)
        return write_results(measured, files, figure);
    if (path && !strcmp(path, "-"))
        return outer_draw(measured, files, figure, path);
    outer_title(figure, title, sizeof title);
    print_remark("%s%s; low, high: 95 %% interval (bootstrap), from %d launches on.", title,
                 figure->kind == OUTER_SPEEDUP ? "" : " in us", SUMMAND__INTERVAL_LEAST);
    table_begin(&table, "ranks|<shape|pairs|<method|value|low|high|launches");
    for (int f = 0; f < files; f++)
        put_rows(&measured[f], figure, &table);
    table_end(&table, stdout);
    return path ? outer_draw(measured, files, figure, path) : 0;
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct outer_measured measured[OUTER_FILES];
    long long number = 2;
    const char *path = NULL;
    bool help, json = false;
    const struct option_row rows[] = {
        {"figure", 0, OPTION_INT, &number, "N", "of the paper and its supplement", NULL, 2, 12},
        {"output", 'o', OPTION_OUTPUT, &path, "FILE", "draw it as SVG too: a chart for each file",
         NULL},
        {"json", 'j', OPTION_FLAG, &json, NULL, "print JSON", NULL},
        {0}};
    int first = parse_options(parsing, &study_outer, rows, argc, argv, &help), files = 0;
    bool good = true;
    if (help || first < 0)
        return help ? 0 : 2;
    if (json && path)
        return misuse("outer", "--json and --output exclude each other");
    if (first == argc || argc - first > OUTER_FILES)
        return misuse("outer", "1 to %d files of 'summand bench outer --json' are needed",
                      OUTER_FILES);
    while (good && first + files < argc) {
        good = outer_read(argv[first + files], &measured[files]);
        files += good;
    }
    int status = good ? show(measured, files, &figures[number - 2], path, json) : 1;
    while (files > 0)
        outer_free(&measured[--files]);
    return status;
}

const struct command study_outer = {
    .name = "outer",
    .summary = "figures of sums of outer products (Enderlin et al.) from measured launches",
    .synopsis = "outer [options] FILE.json...",
    .examples = "  summand bench outer --launches 10 --launcher 'mpirun -n 2' --json 2.json\n"
                "  summand-study outer --figure 3 2.json -o figure3.svg\n"
                "  summand-study outer --figure 12 2.json 4.json 8.json -o figure12.svg\n",
    .run = run,
};
