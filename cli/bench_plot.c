/* A benchmark's report as a picture: time against N per method, one chart per number of terms. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "cli.h"
#include "svg.h"

enum { WIDTH = 760, HEIGHT = 440, LEGEND = 34, METHODS = TIMING_SUBJECTS, CHARTS = 16 };

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

static int collect(const struct bench_report *report, const char *method, int terms,
                   struct svg_point *points)
{
    int count = 0;
    for (int i = 0; i < report->rows; i++) {
        const struct bench_row *row = &report->row[i];
        if (!strcmp(row->method, method) && row->terms == terms && row->n && row->time.low > 0)
            points[count++] = (struct svg_point){(double)row->n, 1e6 * row->time.median,
                                                 1e6 * row->time.low, 1e6 * row->time.high};
    }
    qsort(points, (size_t)count, sizeof *points, by_x);
    return count;
}

static void draw_chart(FILE *out, const struct bench_report *report, int terms, double top,
                       struct svg_point *points, const char *const *names, int methods)
{
    struct svg_series series[METHODS];
    char title[128];
    int used = 0;
    for (int m = 0; m < methods; m++) {
        series[m] = (struct svg_series){names[m], m, 0, points + used};
        series[m].points = collect(report, names[m], terms, points + used);
        used += series[m].points;
    }
    snprintf(title, sizeof title, "%s: %d rank%s, %d result%s per call", report->command,
             report->ranks, report->ranks > 1 ? "s" : "", terms, terms > 1 ? "s" : "");
    svg_legend(out, series, methods, 76, top + 14);
    svg_chart(out, &(struct svg_chart){.title = title,
                                       .x_label = "N, elements on all ranks",
                                       .y_label = "median time/us, bars: 95 % interval",
                                       .log_x = true,
                                       .log_y = true,
                                       .count = methods,
                                       .series = series,
                                       .top = top + LEGEND - 8,
                                       .width = WIDTH,
                                       .height = HEIGHT});
}

int bench_write_plot(const struct bench_report *report, const char *path)
{
    const char *names[METHODS];
    int terms[CHARTS];
    int methods = list_methods(report, names), charts = list_terms(report, terms);
    struct svg_point *points = malloc((size_t)report->rows * sizeof *points);
    FILE *out = points ? fopen(path, "w") : NULL;
    if (!out) {
        free(points);
        return complain(report->command, "%s: %s", path, strerror(errno));
    }
    svg_begin(out, WIDTH, charts * (HEIGHT + LEGEND), report->command);
    for (int c = 0; c < charts; c++)
        draw_chart(out, report, terms[c], c * (HEIGHT + LEGEND), points, names, methods);
    svg_end(out);
    free(points);
    bool failed = ferror(out);
    if (fclose(out))
        failed = true;
    return failed ? complain(report->command, "%s: %s", path, strerror(errno)) : 0;
}
