/* SPDX-License-Identifier: BSD-3-Clause */
/* The results of a comparison as text, CSV, JSON and a chart. */
#include "cli/output/json.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/cli.h"
#include "cli/options/model.h"
#include "cli/options/outer_options.h"
#include "cli/output/output.h"
#include "cli/output/setting.h"
#include "cli/output/table.h"
#include "cli/output/text.h"
#include "cli/plot/svg.h"
#include "cli/tune/comparison_outer.h"

static const char *const reach_names[SUMMAND__REACHES] = {"node", "network", "far"};

void comparison_parameters_text(const struct summand__algorithm *algorithm,
                                const size_t parameter[SUMMAND__PARAMETERS], char *text,
                                size_t room)
{
    struct summand__call call = {0};
    memcpy(call.parameter, parameter, sizeof call.parameter);
    call = summand__call_complete(algorithm, &call);
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < SUMMAND__PARAMETERS; i++) {
        const struct summand__limits *limits = &algorithm->limits[i];
        if (!limits->most || used >= room ||
            (i == SUMMAND__SEGMENT && call.parameter[i] == limits->standard))
            continue;
        used += (size_t)snprintf(text + used, room - used, "%s%s=%zu", used ? " " : "",
                                 summand__parameter_name((enum summand__parameter)i),
                                 call.parameter[i]);
    }
}

static int by_time(const void *a, const void *b, void *comparison)
{
    const struct comparison_entry *x = comparison_at(comparison, *(const int *)a, 0);
    const struct comparison_entry *y = comparison_at(comparison, *(const int *)b, 0);
    if (x->known != y->known)
        return x->known ? -1 : 1;
    return x->known && x->seconds != y->seconds
               ? (x->seconds > y->seconds) - (x->seconds < y->seconds)
               : *(const int *)a - *(const int *)b;
}

static size_t total(const size_t values[SUMMAND__REACHES])
{
    size_t sum = 0;
    for (int i = 0; i < SUMMAND__REACHES; i++)
        sum += values[i];
    return sum;
}

/* One point: the algorithms, fastest first. */
static void print_one(const struct comparison *comparison)
{
    struct table table;
    int order[COMPARED_ALGORITHMS];
    char text[128];
    table_begin(&table,
                "<algorithm|us|times as fast|messages|between nodes|MB between|<parameters");
    for (int a = 0; a < comparison->algorithms; a++)
        order[a] = a;
    qsort_r(order, (size_t)comparison->algorithms, sizeof *order, by_time, (void *)comparison);
    for (int i = 0; i < comparison->algorithms; i++) {
        const struct comparison_entry *entry = comparison_at(comparison, order[i], 0);
        if (!entry->known)
            continue;
        comparison_parameters_text(comparison->algorithm[order[i]], entry->parameter, text,
                                   sizeof text);
        double best = comparison_at(comparison, comparison->best[0], 0)->seconds;
        table_cell(&table, "%s%s", comparison->algorithm[order[i]]->name,
                   comparison->chosen[0] == order[i] ? " (chosen)" : "");
        table_cell(&table, "%.2f", entry->seconds * 1e6);
        table_cell(&table, "%.2f", entry->seconds > 0 ? best / entry->seconds : 1);
        table_cell(&table, "%zu", total(entry->messages));
        table_cell(&table, "%zu", total(entry->messages) - entry->messages[0]);
        table_cell(&table, "%.3f", (double)(total(entry->bytes) - entry->bytes[0]) / 1e6);
        table_cell(&table, "%s", text);
    }
    table_end(&table, stdout);
}

/* Microseconds, with the best of each point marked; columns in groups that fit a screen. */
static void print_group(const struct comparison *comparison, int first, int last)
{
    struct table table;
    const bool outer = comparison->setup->collective == SUMMAND__COLL_OUTER;
    char heads[512] = "<";
    for (int p = first; p < last; p++) {
        size_t used = strlen(heads);
        snprintf(heads + used, sizeof heads - used, "|%lld",
                 comparison_by_ranks(comparison->setup)
                     ? (long long)comparison_ranks(comparison->setup, p)
                     : (long long)comparison_count(comparison->setup, p));
    }
    table_begin(&table, heads);
    for (int a = 0; a < comparison->algorithms; a++) {
        table_cell(&table, "%s", comparison->algorithm[a]->name);
        for (int p = first; p < last; p++) {
            const struct comparison_entry *entry = comparison_at(comparison, a, p);
            if (entry->known)
                table_cell(&table, "%.2f%s%s", entry->seconds * 1e6,
                           !outer                       ? ""
                           : comparison->chosen[p] == a ? "c"
                                                        : " ",
                           comparison->best[p] == a ? "*" : " ");
            else
                table_cell(&table, outer ? "-  " : "- ");
        }
    }
    table_end(&table, stdout);
}

/* The choice at a point, and how much longer than the best it takes. */
static void chosen_text(const struct comparison *comparison, int point, char *text, size_t room)
{
    int chosen = comparison->chosen[point], best = comparison->best[point];
    if (chosen < 0) {
        snprintf(text, room, "another");
        return;
    }
    const struct comparison_entry *entry = comparison_at(comparison, chosen, point);
    int used = snprintf(text, room, "%s", comparison->algorithm[chosen]->name);
    if (chosen != best && entry->known)
        snprintf(text + used, room - (size_t)used, ", %.1f %% longer",
                 100 * (entry->seconds / comparison_at(comparison, best, point)->seconds - 1));
}

static void print_best(const struct comparison *comparison)
{
    bool ranks = comparison_by_ranks(comparison->setup);
    const char *axis = comparison_axis(comparison->setup);
    bool outer = comparison->setup->collective == SUMMAND__COLL_OUTER;
    char text[128], heads[64];
    struct table table;
    snprintf(heads, sizeof heads, outer ? "%s|us|<best|<chosen" : "%s|us|<best|<parameters", axis);
    table_begin(&table, heads);
    for (int p = 0; p < comparison->points; p++) {
        int best = comparison->best[p];
        if (best < 0)
            continue;
        const struct comparison_entry *entry = comparison_at(comparison, best, p);
        comparison_parameters_text(comparison->algorithm[best], entry->parameter, text,
                                   sizeof text);
        table_cell(&table, "%lld",
                   ranks ? (long long)comparison_ranks(comparison->setup, p)
                         : (long long)comparison_count(comparison->setup, p));
        table_cell(&table, "%.2f", entry->seconds * 1e6);
        table_cell(&table, "%s", comparison->algorithm[best]->name);
        if (outer)
            chosen_text(comparison, p, text, sizeof text);
        table_cell(&table, "%s", text);
    }
    printf("\n");
    table_end(&table, stdout);
    for (int i = 0; i < comparison->crossings; i++) {
        const struct comparison_crossing *crossing = &comparison->crossing[i];
        if (!i)
            putchar('\n');
        print_line("from %s%lld %s on %s is faster than %s",
                   crossing->exact ? "about " : "at most ", crossing->at, axis,
                   comparison->algorithm[crossing->after]->name,
                   comparison->algorithm[crossing->before]->name);
    }
}

/* What all points share; for one point all of it. */
static void call_text(const struct comparison_setup *setup, bool one, char *text, size_t room)
{
    struct summand__outer_form form = comparison_form(setup, (size_t)setup->counts.value[0]);
    char shape[128] = "", number[64] = "";
    const bool ranks = comparison_by_ranks(setup);
    const bool outer = setup->collective == SUMMAND__COLL_OUTER;
    if (outer && (one || ranks))
        outer_form_text(&form, shape, sizeof shape);
    else if (outer && setup->outer.rows)
        snprintf(shape, sizeof shape, "%zu x %zu %ss%s", form.rows, form.columns,
                 outer_type_names[form.type], outer_result_ends[form.result]);
    else if (outer)
        snprintf(shape, sizeof shape, "squares of %ss, %zu pair%s of each rank%s",
                 outer_type_names[form.type], form.pairs, text_plural((long long)form.pairs),
                 outer_result_ends[form.result]);
    else if (ranks)
        snprintf(shape, sizeof shape, "%lld element%s", setup->counts.value[0],
                 text_plural(setup->counts.value[0]));
    if (outer && form.inside && !one && !ranks)
        snprintf(shape + strlen(shape), sizeof shape - strlen(shape), ", inside %s",
                 form.inside->name);
    if (!ranks)
        snprintf(number, sizeof number, "%s%lld rank%s", shape[0] ? ", " : "",
                 setup->ranks.value[0], text_plural(setup->ranks.value[0]));
    snprintf(text, room, "%s%s", shape, number);
}

void comparison_print(const struct comparison *comparison)
{
    enum { COLUMNS = 10 };
    const struct comparison_setup *setup = comparison->setup;
    char call[200], text[600];
    call_text(setup, comparison->points == 1, call, sizeof call);
    snprintf(
        text, sizeof text, "%s, %s, %g per node, %zu byte%s per element, model %s; microseconds%s",
        summand__collective_name(setup->collective), call, setup->model.per_node, setup->element,
        text_plural((long long)setup->element), setup->model_name,
        comparison->points == 1                    ? ", times as fast as the best"
        : setup->collective == SUMMAND__COLL_OUTER ? ", *: the fastest, c: the library's choice"
                                                   : "");
    print_wrapped(text, 0, stdout);
    putchar('\n');
    if (comparison->points == 1) {
        print_one(comparison);
        return;
    }
    for (int p = 0; p < comparison->points; p += COLUMNS)
        print_group(comparison, p,
                    p + COLUMNS < comparison->points ? p + COLUMNS : comparison->points);
    print_best(comparison);
}

void comparison_csv(const struct comparison *comparison)
{
    const struct comparison_setup *setup = comparison->setup;
    printf("collective,ranks,per_node,count,bytes_per_element,algorithm");
    for (int i = 0; i < SUMMAND__PARAMETERS; i++)
        printf(",%s", summand__parameter_name((enum summand__parameter)i));
    printf(",seconds");
    for (int i = 0; i < SUMMAND__REACHES; i++)
        printf(",messages_%s,bytes_%s", reach_names[i], reach_names[i]);
    const bool outer = setup->collective == SUMMAND__COLL_OUTER;
    printf(outer ? ",rows,columns,pairs,result,type,inside,chosen\n" : "\n");
    for (int p = 0; p < comparison->points; p++)
        for (int a = 0; a < comparison->algorithms; a++) {
            const struct comparison_entry *entry = comparison_at(comparison, a, p);
            const struct summand__outer_form form =
                comparison_form(setup, comparison_count(setup, p));
            if (!entry->known)
                continue;
            printf("%s,%d,%g,%zu,%zu,%s", summand__collective_name(setup->collective),
                   comparison_ranks(setup, p), setup->model.per_node, comparison_count(setup, p),
                   setup->element, comparison->algorithm[a]->name);
            for (int i = 0; i < SUMMAND__PARAMETERS; i++)
                printf(comparison->algorithm[a]->limits[i].most ? ",%zu" : ",",
                       entry->parameter[i]);
            printf(",%.9g", entry->seconds);
            for (int i = 0; i < SUMMAND__REACHES; i++)
                printf(",%zu,%zu", entry->messages[i], entry->bytes[i]);
            if (outer)
                printf(",%zu,%zu,%zu,%s,%s,%s,%d", form.rows, form.columns, form.pairs,
                       outer_result_names[form.result], outer_type_names[form.type],
                       form.inside ? form.inside->name : "", comparison->chosen[p] == a);
            printf("\n");
        }
}

static json_t *form_json(const struct comparison *comparison, int a, int p)
{
    const struct comparison_setup *setup = comparison->setup;
    const struct summand__outer_form form = comparison_form(setup, comparison_count(setup, p));
    return json_make("IIIsssb", "rows", (json_int_t)form.rows, "columns", (json_int_t)form.columns,
                     "pairs", (json_int_t)form.pairs, "result", outer_result_names[form.result],
                     "type", outer_type_names[form.type], "inside",
                     form.inside ? form.inside->name : "", "chosen", comparison->chosen[p] == a);
}

static json_t *entry_json(const struct comparison *comparison, int a, int p)
{
    const struct comparison_entry *entry = comparison_at(comparison, a, p);
    json_t *messages = json_object(), *bytes = json_object(), *parameters = json_object();
    for (int i = 0; i < SUMMAND__REACHES; i++) {
        json_object_set_new(messages, reach_names[i], json_integer((json_int_t)entry->messages[i]));
        json_object_set_new(bytes, reach_names[i], json_integer((json_int_t)entry->bytes[i]));
    }
    for (int i = 0; i < SUMMAND__PARAMETERS; i++)
        if (comparison->algorithm[a]->limits[i].most)
            json_object_set_new(parameters, summand__parameter_name((enum summand__parameter)i),
                                json_integer((json_int_t)entry->parameter[i]));
    json_t *object = json_make("siIfooob", "algorithm", comparison->algorithm[a]->name, "ranks",
                               comparison_ranks(comparison->setup, p), "count",
                               (json_int_t)comparison_count(comparison->setup, p), "seconds",
                               entry->seconds, "parameters", parameters, "messages", messages,
                               "bytes", bytes, "best", comparison->best[p] == a);
    if (comparison->setup->collective == SUMMAND__COLL_OUTER)
        json_object_update_new(object, form_json(comparison, a, p));
    return object;
}

int comparison_json(const struct comparison *comparison)
{
    const struct comparison_setup *setup = comparison->setup;
    json_t *predictions = json_array(), *crossings = json_array();
    for (int p = 0; p < comparison->points; p++)
        for (int a = 0; a < comparison->algorithms; a++)
            if (comparison_at(comparison, a, p)->known)
                json_array_append_new(predictions, entry_json(comparison, a, p));
    for (int i = 0; i < comparison->crossings; i++) {
        const struct comparison_crossing *crossing = &comparison->crossing[i];
        json_array_append_new(crossings,
                              json_make("sIbss", "axis",
                                        comparison_by_ranks(setup) ? "ranks"
                                        : setup->outer.rows        ? "pairs"
                                                                   : "count",
                                        "at", (json_int_t)crossing->at, "exact", crossing->exact,
                                        "before", comparison->algorithm[crossing->before]->name,
                                        "after", comparison->algorithm[crossing->after]->name));
    }
    json_t *json = json_head(setup->command);
    json_object_update_new(
        json, json_make("sIsooo", "collective", summand__collective_name(setup->collective),
                        "bytes_per_element", (json_int_t)setup->element, "model_name",
                        setup->model_name, "model", model_json(&setup->model), "predictions",
                        predictions, "crossings", crossings));
    return write_json(setup->command, json, NULL);
}

/* The points of one algorithm's line; returns their number. */
static int make_series(const struct comparison *comparison, int a, struct svg_point *points)
{
    const struct comparison_setup *setup = comparison->setup;
    int n = 0;
    for (int p = 0; p < comparison->points; p++) {
        const struct comparison_entry *entry = comparison_at(comparison, a, p);
        double x = comparison_by_ranks(setup) ? comparison_ranks(setup, p)
                   : setup->outer.rows
                       ? (double)comparison_count(setup, p)
                       : (double)comparison_count(setup, p) * (double)setup->element;
        double y = entry->seconds;
        if (entry->known && x > 0 && y > 0)
            points[n++] = (struct svg_point){x, y, y, y};
    }
    return n;
}

static void chart_title(const struct comparison_setup *setup, char *title, size_t room)
{
    if (setup->outer.rows)
        snprintf(title, room, "outer, %zu x %zu, predicted on %s", setup->outer.rows,
                 setup->outer.columns, setup->model_name);
    else if (comparison_by_ranks(setup))
        snprintf(title, room, "%s of %lld element%s of %zu byte%s, predicted on %s",
                 summand__collective_name(setup->collective), setup->counts.value[0],
                 text_plural(setup->counts.value[0]), setup->element,
                 text_plural((long long)setup->element), setup->model_name);
    else
        snprintf(title, room, "%s on %lld rank%s, %g per node, predicted on %s",
                 summand__collective_name(setup->collective), setup->ranks.value[0],
                 text_plural(setup->ranks.value[0]), setup->model.per_node, setup->model_name);
}

bool comparison_svg(const struct comparison *comparison, const char *path)
{
    enum { WIDTH = 780, HEIGHT = 460, LEFT = 76 };
    const struct comparison_setup *setup = comparison->setup;
    struct svg_point points[COMPARED_ALGORITHMS][NUMBERS_MOST];
    struct svg_series series[COMPARED_ALGORITHMS];
    char title[160];
    int count = 0;
    for (int a = 0; a < comparison->algorithms; a++) {
        int n = make_series(comparison, a, points[count]);
        if (n) {
            series[count] =
                (struct svg_series){comparison->algorithm[a]->name, 0, n, points[count]};
            count++;
        }
    }
    svg_choose(series, count, 0, false);
    struct output output;
    if (!output_open(&output, setup->command, path))
        return false;
    FILE *out = output.file;
    const bool outer = setup->collective == SUMMAND__COLL_OUTER;
    chart_title(setup, title, sizeof title);
    svg_begin(out, WIDTH,
              HEIGHT + svg_grey_names(NULL, series, count, LEFT, HEIGHT, WIDTH - 2 * LEFT), title);
    svg_chart(out, &(struct svg_chart){.title = title,
                                       .y_label = "predicted time",
                                       .y_unit = SVG_TIME,
                                       .x_unit = comparison_by_ranks(setup) || setup->outer.rows
                                                     ? SVG_NUMBER
                                                     : SVG_SIZE,
                                       .x_label = comparison_by_ranks(setup) ? "ranks"
                                                  : setup->outer.rows        ? "pairs of each rank"
                                                  : outer                    ? "bytes of a row"
                                                                             : "bytes per rank",
                                       .log_x = !comparison_by_ranks(setup),
                                       .log_y = true,
                                       .count = count,
                                       .series = series,
                                       .width = WIDTH,
                                       .height = HEIGHT,
                                       .labels = true});
    svg_grey_names(out, series, count, LEFT, HEIGHT, WIDTH - 2 * LEFT);
    svg_end(out);
    return output_close(&output, true);
}
