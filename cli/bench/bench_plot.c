/* SPDX-License-Identifier: BSD-3-Clause */
/* A benchmark's report as a picture: time against size per method, one chart per number of terms;
 * speed-up against size and all repetitions if the report has them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench_plot.h"
#include "cli/common/cli.h"
#include "cli/output/output.h"
#include "cli/output/setting.h"
#include "cli/output/text.h"
#include "cli/plot/svg.h"

enum { WIDTH = BENCH_PLOT_WIDTH, HEIGHT = 440, LEFT = 76, METHODS = TIMING_SUBJECTS };
enum { INDENT = 24, LINE = 18, HEAD = 28 };
enum { KEPT = 2 }; /* always in colour: the first two, the choice and the MPI */

/* The quantity on the y axis. */
enum what { TIME, SPEEDUP };

/* Distinct methods in the order of their first row. */
static int list_methods(const struct bench_report *report, const char **names)
{
    int count = 0;
    for (int i = 0; i < report->rows; i++) {
        int known = 0;
        while (known < count && strcmp(names[known], report->row[i].method))
            known++;
        if (known == count && count < METHODS)
            names[count++] = report->row[i].method;
    }
    return count;
}

static int list_terms(const struct bench_report *report, int *terms)
{
    int count = 0;
    for (int i = 0; i < report->rows; i++) {
        int known = 0;
        while (known < count && terms[known] != report->row[i].terms)
            known++;
        if (known == count && count < BENCH_PLOT_CHARTS)
            terms[count++] = report->row[i].terms;
    }
    return count;
}

static int by_x(const void *a, const void *b)
{
    const struct svg_point *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

static double along(const struct bench_report *report, const struct bench_row *row)
{
    return (double)*(const uint64_t *)((const char *)row + report->form->x);
}

static bool drawn(const struct bench_report *report, const struct bench_row *row, enum what what)
{
    return along(report, row) > 0 && row->time.low > 0 &&
           (what == TIME || isfinite(row->ratio[0].median));
}

static int collect(const struct bench_report *report, const char *method, int terms, enum what what,
                   struct svg_point *points)
{
    int count = 0;
    for (int i = 0; i < report->rows; i++) {
        const struct bench_row *row = &report->row[i];
        double x = along(report, row), ratio = row->ratio[0].median;
        if (strcmp(row->method, method) || row->terms != terms || !drawn(report, row, what))
            continue;
        points[count++] =
            what == TIME ? (struct svg_point){x, row->time.median, row->time.low, row->time.high}
                         : (struct svg_point){x, ratio, ratio, ratio};
    }
    qsort(points, (size_t)count, sizeof *points, by_x);
    return count;
}

/* The series of one chart; the points have room for all. */
static void make_series(const struct bench_report *report, const struct bench_plot *plot,
                        enum what what, int terms, struct svg_point *points,
                        struct svg_series *series)
{
    int used = 0;
    for (int m = 0; m < plot->methods; m++) {
        series[m] = (struct svg_series){plot->labels[m], plot->style[m], 0, points + used};
        series[m].points = collect(report, plot->names[m], terms, what, points + used);
        used += series[m].points;
    }
}

/* Logarithmic: times, and ratios that differ so much that most would lie on the axis. */
static bool is_log(enum what what, const struct svg_series *series, int count)
{
    const double wide = 30;
    double low = INFINITY, high = 0;
    for (int s = 0; s < count; s++)
        for (int i = 0; i < series[s].points; i++) {
            low = fmin(low, series[s].point[i].y);
            high = fmax(high, series[s].point[i].y);
        }
    return what == TIME || (low > 0 && high > wide * low);
}

/* "exact (plan)", "naive (call)" */
static void make_labels(const struct bench_report *report, struct bench_plot *plot)
{
    int plans = 0;
    for (int m = 0; report->form->plan && m < plot->methods; m++)
        plans += report->form->plan(report, plot->names[m]);
    plot->plans = plans && plans < plot->methods;
    for (int m = 0; m < plot->methods; m++) {
        const char *name = plot->names[m], *of = plot->plans ? " (call)" : "";
        int length = (int)strlen(name);
        if (plans && report->form->plan(report, name))
            of = " (plan)";
        else if (plans && length > 5 && !strcmp(name + length - 5, "-call"))
            length -= 5;
        else if (plans && strstr(name, ", call"))
            length = (int)(strstr(name, ", call") - name);
        snprintf(plot->labels[m], sizeof plot->labels[m], "%.*s%s", length, name, of);
    }
}

/* Styles of the methods, the same in all charts; for many methods, by their times in the first
 * chart. */
static void choose_styles(const struct bench_report *report, struct bench_plot *plot,
                          struct svg_point *points)
{
    struct svg_series series[METHODS];
    make_series(report, plot, TIME, plot->terms[0], points, series);
    for (int m = 0; m < plot->methods; m++)
        series[m].name = plot->names[m];
    svg_choose(series, plot->methods, KEPT, false);
    for (int m = 0; m < plot->methods; m++)
        plot->style[m] = series[m].style;
}

static double chart_height(const struct svg_series *series, int methods)
{
    return HEIGHT + svg_grey_names(NULL, series, methods, LEFT, 0, WIDTH - 2 * LEFT);
}

/* Returns its height. out may be NULL. */
static double draw_chart(FILE *out, const struct bench_report *report,
                         const struct bench_plot *plot, enum what what, int terms, double top,
                         struct svg_point *points)
{
    struct svg_series series[METHODS];
    char title[128] = "", y_label[96];
    make_series(report, plot, what, terms, points, series);
    if (!out)
        return chart_height(series, plot->methods);
    if (terms > 1 || plot->charts > 1)
        snprintf(title, sizeof title, "%d %s", terms,
                 report->form->terms ? report->form->terms
                 : terms > 1         ? "results per call"
                                     : "result per call");
    snprintf(y_label, sizeof y_label, "times as fast as %s", report->form->references[0]);
    svg_chart(out, &(struct svg_chart){
                       .title = title,
                       .x_label = report->form->x_label,
                       .y_label = what == TIME ? "median time, bars: 95 % interval" : y_label,
                       .x_unit = report->form->x == offsetof(struct bench_row, bytes) ? SVG_SIZE
                                                                                      : SVG_NUMBER,
                       .y_unit = what == TIME ? SVG_TIME : SVG_NUMBER,
                       .log_x = true,
                       .log_y = is_log(what, series, plot->methods),
                       .count = plot->methods,
                       .series = series,
                       .top = top,
                       .width = WIDTH,
                       .height = HEIGHT,
                       .labels = true});
    svg_grey_names(out, series, plot->methods, LEFT, top + HEIGHT, WIDTH - 2 * LEFT);
    return chart_height(series, plot->methods);
}

static bool has_speedup(const struct bench_report *report)
{
    for (int i = 0; report->form->references[0] && i < report->rows; i++)
        if (drawn(report, &report->row[i], SPEEDUP) &&
            strcmp(report->row[i].method, report->form->references[0]))
            return true;
    return false;
}

/* "bench reduce, 2 ranks, sum of double" */
static void title_of(const struct bench_report *report, char *title, size_t room)
{
    const char *op = json_string_value(json_object_get(report->options, "op"));
    const char *type = json_string_value(json_object_get(report->options, "datatype"));
    if (!type)
        type = json_string_value(json_object_get(report->options, "type"));
    if (!type)
        type = report->form->type;
    snprintf(title, room, "%s, %d rank%s%s%s%s%s", report->command, report->ranks,
             report->ranks > 1 ? "s" : "", type ? ", " : "", op ? op : "", op ? " of " : "",
             type ? type : "");
}

/* Returns its height. out may be NULL. */
static double draw_head(FILE *out, const struct bench_report *report, const struct bench_plot *plot)
{
    char title[256], setting[SETTING_ROOM];
    title_of(report, title, sizeof title);
    setting_line(report->setting, setting, sizeof setting);
    if (out) {
        svg_heading(out, INDENT, HEAD, WIDTH - 2 * INDENT, title);
        svg_note(out, INDENT, HEAD + LINE, WIDTH - 2 * INDENT, setting);
    }
    if (out && plot->plans)
        svg_note(out, INDENT, HEAD + 2 * LINE, WIDTH - 2 * INDENT,
                 "(plan): start and wait of a plan made before; (call): a blocking call");
    return HEAD + LINE * (plot->plans ? 3 : 2);
}

static double draw_all(FILE *out, const struct bench_report *report, const struct bench_plot *plot,
                       struct svg_point *points)
{
    double top = draw_head(out, report, plot);
    for (int t = 0; t < plot->charts; t++) {
        for (int kind = 0; kind <= has_speedup(report); kind++)
            top +=
                draw_chart(out, report, plot, kind ? SPEEDUP : TIME, plot->terms[t], top, points);
        if (report->form->violins)
            top += bench_draw_violins(out, report, plot, plot->terms[t], top);
    }
    return top;
}

int bench_write_plot(const struct bench_report *report, const char *path)
{
    struct bench_plot plot = {.methods = 0};
    char title[256];
    plot.methods = list_methods(report, plot.names);
    plot.charts = list_terms(report, plot.terms);
    struct svg_point *points = malloc((size_t)report->rows * sizeof *points);
    struct output output;
    if (!points)
        return complain(report->command, "%s: out of memory", path);
    if (!output_open(&output, report->command, path)) {
        free(points);
        return 1;
    }
    FILE *out = output.file;
    make_labels(report, &plot);
    choose_styles(report, &plot, points);
    title_of(report, title, sizeof title);
    svg_begin(out, WIDTH, draw_all(NULL, report, &plot, points), title);
    draw_all(out, report, &plot, points);
    svg_end(out);
    free(points);
    return !output_close(&output, true);
}
