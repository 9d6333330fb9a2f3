/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "bench/need.h"
#include "cli/bench/bench_plot.h"
#include "cli/plot/svg_violin.h"

enum { COLUMNS = 2, WIDTH = BENCH_PLOT_WIDTH / COLUMNS, HEIGHT = 270, INDENT = 24, HEAD = 52 };

/* Seconds of all repetitions, and each launch's median if there are several. */
static struct svg_violin violin_of(const struct bench_row *row, const char *name, int style)
{
    int most = 0, count = 0, dots = 0;
    for (int l = 0; l < row->launches; l++)
        most += row->launch[l].rounds;
    double *value = need(malloc(((size_t)most + (size_t)row->launches) * sizeof *value));
    double *dot = value + most;
    for (int l = 0; l < row->launches; l++) {
        const struct bench_launch *launch = &row->launch[l];
        const double median = measure_median(launch->seconds, launch->rounds).median;
        for (int i = 0; i < launch->rounds; i++)
            if (launch->seconds[i] > 0) /* not NaN */
                value[count++] = launch->seconds[i];
        if (row->launches > 1 && median > 0)
            dot[dots++] = median;
    }
    measure_sort(value, count);
    return (struct svg_violin){{.name = name, .style = style}, count, dots, value, dot};
}

/* Draws the rows of the case of a row, in the order of the methods. */
static void draw_case(FILE *out, const struct bench_report *report, const struct bench_plot *plot,
                      const struct bench_row *first, double left, double top)
{
    struct svg_violin violins[TIMING_SUBJECTS];
    int count = 0;
    for (int m = 0; m < plot->methods; m++)
        for (int i = 0; i < report->rows; i++) {
            const struct bench_row *row = &report->row[i];
            if (plot->style[m] < 0 || row->terms != first->terms ||
                strcmp(row->data, first->data) || strcmp(row->method, plot->names[m]))
                continue;
            violins[count] = violin_of(row, plot->labels[m], plot->style[m]);
            if (violins[count].count)
                count++;
            else
                free((void *)violins[count].value);
        }
    svg_violins(out, &(struct svg_violins){.title = first->data,
                                           .y_label = "time",
                                           .y_unit = SVG_TIME,
                                           .count = count,
                                           .violin = violins,
                                           .left = left,
                                           .top = top,
                                           .width = WIDTH,
                                           .height = HEIGHT});
    for (int v = 0; v < count; v++)
        free((void *)violins[v].value);
}

/* True if no earlier row is of its case. */
static bool is_first(const struct bench_report *report, const struct bench_row *row)
{
    for (const struct bench_row *other = report->row; other < row; other++)
        if (other->terms == row->terms && !strcmp(other->data, row->data))
            return false;
    return true;
}

/* The drawn names, as a legend takes them. */
static int legend_of(const struct bench_plot *plot, struct svg_series *legend)
{
    int count = 0;
    for (int m = 0; m < plot->methods; m++)
        if (plot->style[m] >= 0)
            legend[count++] = (struct svg_series){plot->labels[m], plot->style[m], 0, NULL};
    return count;
}

double bench_draw_violins(FILE *out, const struct bench_report *report,
                          const struct bench_plot *plot, int terms, double top)
{
    struct svg_series legend[TIMING_SUBJECTS];
    char title[160];
    const int count = legend_of(plot, legend);
    int used = snprintf(title, sizeof title, "All repetitions%s; lines: 5th and 95th percentile",
                        count < plot->methods ? " of the methods in colour" : ""),
        cases = 0;
    if (report->launches > 1)
        snprintf(title + used, sizeof title - (size_t)used, "; dots: medians of %d launches",
                 report->launches);
    if (out)
        svg_heading(out, INDENT, top + 24, BENCH_PLOT_WIDTH - 2 * INDENT, title);
    const double head = HEAD + svg_legend_rows(out, legend, count, INDENT, top + HEAD,
                                               BENCH_PLOT_WIDTH - 2 * INDENT);
    for (int i = 0; i < report->rows; i++) {
        if (report->row[i].terms != terms || !is_first(report, &report->row[i]))
            continue;
        if (out)
            draw_case(out, report, plot, &report->row[i], cases % COLUMNS * WIDTH,
                      top + head + cases / COLUMNS * HEIGHT);
        cases++;
    }
    return head + (cases + COLUMNS - 1) / COLUMNS * HEIGHT + 12;
}
