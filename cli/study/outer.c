/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures 2 to 4 and 6 to 11 of Enderlin et al., "Distributed sum of outer products" (ETH), from
 * files of `summand bench outer --launches N --json`. An observation is the median of the
 * repetitions of a launch; a speed-up is that of the all-reduce of the same launch over it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/common/json.h"
#include "cli/common/output.h"
#include "cli/common/setting.h"
#include "cli/common/table.h"
#include "cli/plot/svg.h"
#include "lab/gossip/interval.h"

extern const struct command study_outer;

enum { WIDTH = 780, HEIGHT = 460, METHODS = 16, POINTS = 64, FILES = 16 };

/* A figure of the paper: the quantile of which quantity. */
struct quantity {
    int figure;
    bool speedup; /* else the time */
    double quantile;
};
static const struct quantity quantities[] = {{2, true, 0.5},  {3, true, 0.1},   {4, false, 0.9},
                                             {6, true, 0.1},  {7, true, 0.5},   {8, true, 0.9},
                                             {9, false, 0.1}, {10, false, 0.5}, {11, false, 0.9}};

/* A method in a case. */
struct observed {
    const char *method, *shape;
    double side; /* the square root of N M: N of a square */
    long long pairs;
    int count;
    double *median; /* seconds, of each launch */
};

/* A file. */
struct measured {
    json_t *json;
    const char *path;
    int ranks, launches, count;
    struct observed *observed;
};

static void measured_free(struct measured *measured)
{
    for (int i = 0; i < measured->count; i++)
        free(measured->observed[i].median);
    free(measured->observed);
    json_decref(measured->json);
}

static double median_of(const json_t *launch)
{
    const size_t count = json_array_size(launch);
    double *seconds = need(malloc((count + 1) * sizeof *seconds));
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(launch, i);
        seconds[i] = json_is_number(value) ? 1e-9 * json_number_value(value) : (double)NAN;
    }
    const double median = measure_median(seconds, (int)count).median;
    free(seconds);
    return median;
}

static bool read_observed(const json_t *result, struct observed *observed)
{
    const json_t *launches = json_object_get(result, "samples_ns");
    double rows = 0, columns = 0;
    *observed = (struct observed){.method = json_string_value(json_object_get(result, "algorithm")),
                                  .shape = json_string_value(json_object_get(result, "shape")),
                                  .pairs = json_integer_value(json_object_get(result, "pairs")),
                                  .count = (int)json_array_size(launches)};
    if (!observed->method || !observed->shape ||
        sscanf(observed->shape, "%lfx%lf", &rows, &columns) != 2)
        return false;
    observed->side = sqrt(rows * columns);
    observed->median = need(malloc(((size_t)observed->count + 1) * sizeof *observed->median));
    for (int l = 0; l < observed->count; l++)
        observed->median[l] = median_of(json_array_get(launches, (size_t)l));
    return observed->count > 0;
}

static bool measured_read(const char *path, struct measured *measured)
{
    json_error_t error;
    *measured = (struct measured){.json = json_load_file(path, 0, &error), .path = path};
    const json_t *results = json_object_get(measured->json, "results");
    const char *command = json_string_value(json_object_get(measured->json, "command"));
    if (!measured->json)
        return !complain("outer", "%s: %s", path, error.text);
    bool good = json_array_size(results) > 0 && command && !strcmp(command, "bench outer");
    measured->ranks = (int)json_integer_value(json_object_get(measured->json, "ranks"));
    measured->observed = need(calloc(json_array_size(results) + 1, sizeof *measured->observed));
    for (size_t i = 0; good && i < json_array_size(results); i++) {
        struct observed *observed = &measured->observed[measured->count++];
        good = read_observed(json_array_get(results, i), observed);
        if (good && observed->count > measured->launches)
            measured->launches = observed->count;
    }
    if (good)
        return true;
    measured_free(measured);
    return !complain("outer", "%s: not a file of 'summand bench outer --json'", path);
}

static const struct observed *base_of(const struct measured *measured, const struct observed *of)
{
    for (int i = 0; i < measured->count; i++) {
        const struct observed *other = &measured->observed[i];
        if (!strcmp(other->method, "mpi-allreduce") && !strcmp(other->shape, of->shape) &&
            other->pairs == of->pairs)
            return other;
    }
    return NULL;
}

/* The quantile with its bootstrap interval: of times as fast, or of seconds. Nothing without the
 * base. */
static struct summand__interval value_of(const struct measured *measured, const struct observed *of,
                                         const struct quantity *quantity)
{
    const struct observed *base = base_of(measured, of);
    double *value = need(malloc((size_t)of->count * sizeof *value));
    int count = 0;
    for (int l = 0; l < of->count; l++) {
        const bool known = !quantity->speedup || (base && l < base->count);
        const double seconds = of->median[l];
        const double observation = !known              ? (double)NAN
                                   : quantity->speedup ? base->median[l] / seconds
                                                       : seconds;
        if (isfinite(observation))
            value[count++] = observation;
    }
    struct summand__interval interval =
        summand__interval_of_quantile(value, count, quantity->quantile, 1);
    free(value);
    return interval;
}

static void put_rows(const struct measured *measured, const struct quantity *quantity,
                     struct table *table)
{
    const double unit = quantity->speedup ? 1 : 1e-6;
    for (int i = 0; i < measured->count; i++) {
        const struct observed *of = &measured->observed[i];
        const struct summand__interval value = value_of(measured, of, quantity);
        table_cell(table, "%d", measured->ranks);
        table_cell(table, "%s", of->shape);
        table_cell(table, "%lld", of->pairs);
        table_cell(table, "%s", of->method);
        table_cell(table, isnan(value.middle) ? "-" : "%.3f", value.middle / unit);
        table_cell(table, isnan(value.low) ? "-" : "%.3f", value.low / unit);
        table_cell(table, isnan(value.high) ? "-" : "%.3f", value.high / unit);
        table_cell(table, "%d", of->count);
    }
}

static int write_results(const struct measured *measured, int files,
                         const struct quantity *quantity)
{
    json_t *results = json_array(), *object = json_head("outer");
    for (int f = 0; f < files; f++)
        for (int i = 0; i < measured[f].count; i++) {
            const struct observed *of = &measured[f].observed[i];
            const struct summand__interval value = value_of(&measured[f], of, quantity);
            json_t *one =
                json_make("isIsi", "ranks", measured[f].ranks, "shape", of->shape, "pairs",
                          (json_int_t)of->pairs, "algorithm", of->method, "launches", of->count);
            json_object_set_new(one, "value", json_finite(value.middle));
            json_object_set_new(one, "low", json_finite(value.low));
            json_object_set_new(one, "high", json_finite(value.high));
            json_array_append_new(results, one);
        }
    json_object_update_new(object, json_make("isfo", "figure", quantity->figure, "quantity",
                                             quantity->speedup ? "speed-up" : "seconds", "quantile",
                                             quantity->quantile, "results", results));
    return write_json("outer", object, NULL);
}

/* The points of a method, in the order of the file; returns their number. */
static int line_of(const struct measured *measured, const struct quantity *quantity,
                   const char *method, struct svg_point *points)
{
    const double unit = quantity->speedup ? 1 : 1e-3;
    int count = 0;
    for (int i = 0; i < measured->count && count < POINTS; i++) {
        const struct observed *of = &measured->observed[i];
        const struct summand__interval v = value_of(measured, of, quantity);
        if (strcmp(of->method, method) || isnan(v.middle))
            continue;
        points[count++] =
            (struct svg_point){of->side, v.middle / unit, (isnan(v.low) ? v.middle : v.low) / unit,
                               (isnan(v.high) ? v.middle : v.high) / unit};
    }
    return count;
}

static int methods_of(const struct measured *measured, int files, const char **methods)
{
    int count = 0;
    for (int f = 0; f < files; f++)
        for (int i = 0; i < measured[f].count; i++) {
            int known = 0;
            while (known < count && strcmp(methods[known], measured[f].observed[i].method))
                known++;
            if (known == count && count < METHODS)
                methods[count++] = measured[f].observed[i].method;
        }
    return count;
}

static void title_of(const struct quantity *quantity, char *text, size_t room)
{
    char what[40] = "Median";
    if (quantity->quantile < 0.5 || quantity->quantile > 0.5)
        snprintf(what, sizeof what, "%.0fth percentile", 100 * quantity->quantile);
    snprintf(text, room, "Figure %d: %s of %s", quantity->figure, what,
             quantity->speedup ? "speed-ups over the all-reduce" : "times");
}

static int draw(const struct measured *measured, int files, const struct quantity *quantity,
                const char *path)
{
    struct svg_point points[METHODS][POINTS];
    const char *methods[METHODS];
    const int count = methods_of(measured, files, methods);
    struct output output;
    char title[128];
    title_of(quantity, title, sizeof title);
    if (!output_open(&output, "outer", path))
        return 1;
    svg_begin(output.file, WIDTH, HEIGHT * files, title);
    for (int f = 0; f < files; f++) {
        struct svg_series series[METHODS];
        char head[192];
        for (int m = 0; m < count; m++)
            series[m] = (struct svg_series){
                methods[m], m, line_of(&measured[f], quantity, methods[m], points[m]), points[m]};
        snprintf(head, sizeof head, "%s, %d ranks, %d launches; bars: 95 %% (bootstrap)", title,
                 measured[f].ranks, measured[f].launches);
        svg_chart(output.file,
                  &(struct svg_chart){.title = head,
                                      .x_label = "N of matrices N x N",
                                      .y_label = quantity->speedup ? "times as fast" : "time in ms",
                                      .log_y = !quantity->speedup,
                                      .beside = true,
                                      .count = count,
                                      .series = series,
                                      .top = HEIGHT * f,
                                      .width = WIDTH,
                                      .height = HEIGHT,
                                      .labels = true});
    }
    svg_end(output.file);
    return !output_close(&output, true);
}

static int show(const struct measured *measured, int files, const struct quantity *quantity,
                const char *path, bool json)
{
    struct table table;
    char title[128];
    if (json)
        return write_results(measured, files, quantity);
    title_of(quantity, title, sizeof title);
    print_remark("%s%s; low, high: 95 %% interval (bootstrap), from %d launches on.", title,
                 quantity->speedup ? "" : " in us", SUMMAND__INTERVAL_LEAST);
    table_begin(&table, "ranks|<shape|pairs|<method|value|low|high|launches");
    for (int f = 0; f < files; f++)
        put_rows(&measured[f], quantity, &table);
    table_end(&table, stdout);
    return path ? draw(measured, files, quantity, path) : 0;
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct measured measured[FILES];
    long long figure = 2;
    const char *path = NULL;
    bool help, json = false;
    const struct option_row rows[] = {
        {"figure", 0, OPTION_INT, &figure, "N", "2, 3, 4, or 6 to 11 of the paper", NULL, 2, 11},
        {"output", 'o', OPTION_OUTPUT, &path, "FILE", "draw it as SVG too: a chart for each file",
         NULL},
        {"json", 'j', OPTION_FLAG, &json, NULL, "print JSON", NULL},
        {0}};
    const struct quantity *quantity = NULL;
    int first = parse_options(parsing, &study_outer, rows, argc, argv, &help), files = 0;
    bool good = true;
    if (help || first < 0)
        return help ? 0 : 2;
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++)
        if (quantities[i].figure == figure)
            quantity = &quantities[i];
    if (!quantity)
        return misuse("outer", "--figure: 5 and 12 are drawn by 'summand bench outer --plot'");
    if (json && path)
        return misuse("outer", "--json and --output exclude each other");
    if (first == argc || argc - first > FILES)
        return misuse("outer",
                      "1 to %d files of 'summand bench outer --launches N --json' are "
                      "needed",
                      FILES);
    while (good && first + files < argc) {
        good = measured_read(argv[first + files], &measured[files]);
        files += good;
    }
    int status = good ? show(measured, files, quantity, path, json) : 1;
    while (files > 0)
        measured_free(&measured[--files]);
    return status;
}

const struct command study_outer = {
    .name = "outer",
    .summary = "figures of sums of outer products (Enderlin et al.) from measured launches",
    .synopsis = "outer [options] FILE.json...",
    .examples = "  summand bench outer --launches 10 --launcher 'mpirun -n 2' --json 2.json\n"
                "  summand-study outer --figure 3 2.json -o figure3.svg\n",
    .run = run,
};
