/* A benchmark's report as a picture: time against size per method, one chart per number of terms,
 * and speed-up against size where the report has one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "cli.h"
#include "output.h"
#include "svg.h"

enum { WIDTH = 760, HEIGHT = 440, LINE = 20, PER_LINE = 5, METHODS = TIMING_SUBJECTS, CHARTS = 16 };

/* What is drawn upwards. */
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
        if (known == count && count < CHARTS)
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
    return along(report, row) > 0 && row->time.low > 0 && (what == TIME || isfinite(row->ratio[0]));
}

static int collect(const struct bench_report *report, const char *method, int terms, enum what what,
                   struct svg_point *points)
{
    int count = 0;
    for (int i = 0; i < report->rows; i++) {
        const struct bench_row *row = &report->row[i];
        double x = along(report, row), ratio = row->ratio[0];
        if (strcmp(row->method, method) || row->terms != terms || !drawn(report, row, what))
            continue;
        points[count++] = what == TIME
                              ? (struct svg_point){x, 1e6 * row->time.median, 1e6 * row->time.low,
                                                   1e6 * row->time.high}
                              : (struct svg_point){x, ratio, ratio, ratio};
    }
    qsort(points, (size_t)count, sizeof *points, by_x);
    return count;
}

static double legend_height(int methods)
{
    return 14 + LINE * ((methods + PER_LINE - 1) / PER_LINE);
}

static void draw_chart(FILE *out, const struct bench_report *report, int terms, enum what what,
                       double top, struct svg_point *points, const char *const *names, int methods)
{
    struct svg_series series[METHODS];
    char title[128];
    int used = 0;
    for (int m = 0; m < methods; m++) {
        series[m] = (struct svg_series){names[m], m, 0, points + used};
        series[m].points = collect(report, names[m], terms, what, points + used);
        used += series[m].points;
    }
    if (report->form->speedup)
        snprintf(title, sizeof title, "%s: %d rank%s", report->command, report->ranks,
                 report->ranks > 1 ? "s" : "");
    else
        snprintf(title, sizeof title, "%s: %d rank%s, %d result%s per call", report->command,
                 report->ranks, report->ranks > 1 ? "s" : "", terms, terms > 1 ? "s" : "");
    for (int m = 0; m < methods; m += PER_LINE)
        svg_legend(out, series + m, methods - m < PER_LINE ? methods - m : PER_LINE, 76,
                   top + 14 + LINE * (m / PER_LINE));
    svg_chart(out,
              &(struct svg_chart){.title = title,
                                  .x_label = report->form->x_label,
                                  .y_label = what == TIME ? "median time/us, bars: 95 % interval"
                                                          : "speed-up against the MPI",
                                  .log_x = true,
                                  .log_y = what == TIME,
                                  .count = methods,
                                  .series = series,
                                  .top = top + legend_height(methods) - 8,
                                  .width = WIDTH,
                                  .height = HEIGHT});
}

static bool has_speedup(const struct bench_report *report)
{
    for (int i = 0; report->form->speedup && i < report->rows; i++)
        if (drawn(report, &report->row[i], SPEEDUP))
            return true;
    return false;
}

int bench_write_plot(const struct bench_report *report, const char *path)
{
    const char *names[METHODS];
    int terms[CHARTS];
    int methods = list_methods(report, names), charts = list_terms(report, terms);
    int kinds = has_speedup(report) ? 2 : 1;
    double each = HEIGHT + legend_height(methods);
    struct svg_point *points = malloc((size_t)report->rows * sizeof *points);
    struct output output;
    if (!points)
        return complain(report->command, "%s: out of memory", path);
    if (!output_open(&output, report->command, path)) {
        free(points);
        return 1;
    }
    FILE *out = output.file;
    svg_begin(out, WIDTH, charts * kinds * each, report->command);
    for (int c = 0; c < charts * kinds; c++)
        draw_chart(out, report, terms[c / kinds], c % kinds ? SPEEDUP : TIME, c * each, points,
                   names, methods);
    svg_end(out);
    free(points);
    return !output_close(&output, true);
}
