/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures of sums of outer products as pictures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/output/output.h"
#include "cli/output/setting.h"
#include "cli/plot/svg.h"
#include "cli/plot/svg_violin.h"
#include "cli/study/outer.h"

enum { WIDTH = 780, HEIGHT = 460, INDENT = 24, FOOT = 28 };
enum { COLUMNS = 2, PANEL = 270, HEAD = 52 }; /* of violins */

/* A picture of some files; a method has one style in all its charts. */
struct picture {
    const struct outer_measured *measured;
    int files;
    const struct outer_figure *figure;
    FILE *out;
    int methods;
    struct svg_series look[OUTER_METHODS];
};

void outer_title(const struct outer_figure *figure, char *text, size_t room)
{
    char what[40] = "Median";
    if (figure->kind == OUTER_VIOLINS)
        snprintf(what, sizeof what, "Distribution");
    else if (figure->quantile < 0.5 || figure->quantile > 0.5)
        snprintf(what, sizeof what, "%.0fth percentile", 100 * figure->quantile);
    snprintf(text, room, "Figure %d: %s of %s", figure->figure, what,
             figure->kind == OUTER_SPEEDUP ? "speed-ups over the all-reduce" : "times");
}

/* What the head of a file's charts says of it. */
static void head_of(const struct picture *picture, const struct outer_measured *measured,
                    char *text, size_t room)
{
    char title[128], from[96];
    outer_title(picture->figure, title, sizeof title);
    if (measured->simulated)
        snprintf(from, sizeof from, "%d simulated ranks", measured->ranks);
    else
        snprintf(from, sizeof from, "%d ranks, %d launches%s", measured->ranks, measured->launches,
                 picture->figure->kind == OUTER_VIOLINS          ? "; lines: 5th, 95th percentile"
                 : measured->launches >= SUMMAND__INTERVAL_LEAST ? "; bands: 95 % (bootstrap)"
                                                                 : "");
    snprintf(text, room, "%s, %s", title, from);
}

static void find_methods(struct picture *picture)
{
    for (int f = 0; f < picture->files; f++)
        for (int i = 0; i < picture->measured[f].count; i++) {
            const char *method = picture->measured[f].observed[i].method;
            int known = 0;
            while (known < picture->methods && strcmp(picture->look[known].name, method))
                known++;
            if (known == picture->methods && known < OUTER_METHODS)
                picture->look[picture->methods++] = (struct svg_series){.name = method};
        }
    svg_look(picture->look, picture->methods);
}

static int by_x(const void *a, const void *b)
{
    const struct svg_point *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

/* The points of a method; returns their number. */
static int line_of(const struct picture *picture, const struct outer_measured *measured,
                   const char *method, struct svg_point *points)
{
    const double unit = picture->figure->kind == OUTER_SPEEDUP ? 1 : 1e-3;
    int count = 0;
    for (int i = 0; i < measured->count && count < OUTER_POINTS; i++) {
        const struct outer_observed *of = &measured->observed[i];
        if (strcmp(of->method, method))
            continue;
        const struct summand__interval v = outer_value(measured, of, picture->figure);
        if (!isnan(v.middle))
            points[count++] = (struct svg_point){of->side, v.middle / unit,
                                                 (isnan(v.low) ? v.middle : v.low) / unit,
                                                 (isnan(v.high) ? v.middle : v.high) / unit};
    }
    qsort(points, (size_t)count, sizeof *points, by_x);
    return count;
}

static double draw_chart(const struct picture *picture, const struct outer_measured *measured,
                         double top)
{
    struct svg_point points[OUTER_METHODS][OUTER_POINTS];
    struct svg_series series[OUTER_METHODS];
    const bool speedup = picture->figure->kind == OUTER_SPEEDUP;
    char head[256];
    if (!picture->out) /* no intervals for the height alone */
        return HEIGHT;
    for (int m = 0; m < picture->methods; m++) {
        series[m] = picture->look[m];
        series[m].points = line_of(picture, measured, series[m].name, points[m]);
        series[m].point = points[m];
    }
    head_of(picture, measured, head, sizeof head);
    svg_chart(picture->out, &(struct svg_chart){.title = head,
                                                .x_label = "N of matrices N x N",
                                                .y_label = speedup ? "times as fast" : "time in ms",
                                                .log_y = !speedup,
                                                .bands = true,
                                                .count = picture->methods,
                                                .series = series,
                                                .top = top,
                                                .width = WIDTH,
                                                .height = HEIGHT,
                                                .labels = true});
    return HEIGHT;
}

/* The times of the launches. The caller frees them. */
static struct svg_violin violin_of(const struct outer_observed *of, const struct svg_series *look)
{
    double *value = need(malloc((size_t)of->count * sizeof *value));
    int count = 0;
    for (int l = 0; l < of->count; l++)
        if (of->median[l] > 0) /* not NaN */
            value[count++] = of->median[l];
    measure_sort(value, count);
    return (struct svg_violin){.look = *look, .count = count, .value = value};
}

static bool same_case(const struct outer_observed *a, const struct outer_observed *b)
{
    return a->pairs == b->pairs && !strcmp(a->shape, b->shape);
}

static void draw_panel(const struct picture *picture, const struct outer_measured *measured,
                       const struct outer_observed *first, double left, double top)
{
    struct svg_violin violins[OUTER_METHODS];
    int count = 0;
    for (int m = 0; m < picture->methods; m++)
        for (int i = 0; i < measured->count; i++) {
            const struct outer_observed *of = &measured->observed[i];
            if (!same_case(of, first) || strcmp(of->method, picture->look[m].name))
                continue;
            violins[count] = violin_of(of, &picture->look[m]);
            count++;
        }
    svg_violins(picture->out, &(struct svg_violins){.title = first->shape,
                                                    .y_label = "time",
                                                    .y_unit = SVG_TIME,
                                                    .count = count,
                                                    .violin = violins,
                                                    .left = left,
                                                    .top = top,
                                                    .width = (double)WIDTH / COLUMNS,
                                                    .height = PANEL});
    while (count)
        free((void *)violins[--count].value);
}

static double draw_violins(const struct picture *picture, const struct outer_measured *measured,
                           double top)
{
    char head[256];
    int cases = 0;
    head_of(picture, measured, head, sizeof head);
    if (picture->out)
        svg_heading(picture->out, INDENT, top + 24, WIDTH - 2 * INDENT, head);
    const double above = HEAD + svg_legend_rows(picture->out, picture->look, picture->methods,
                                                INDENT, top + HEAD, WIDTH - 2 * INDENT);
    for (int i = 0; i < measured->count; i++) {
        bool first = true;
        for (int other = 0; other < i; other++)
            first = first && !same_case(&measured->observed[other], &measured->observed[i]);
        if (!first)
            continue;
        if (picture->out)
            draw_panel(picture, measured, &measured->observed[i],
                       (double)(cases % COLUMNS) * WIDTH / COLUMNS,
                       top + above + cases / COLUMNS * PANEL);
        cases++;
    }
    return above + (cases + COLUMNS - 1) / COLUMNS * PANEL;
}

/* Where the times are from. */
static void draw_foot(const struct picture *picture, double top)
{
    const struct outer_measured *first = &picture->measured[0];
    const json_t *setting = json_object_get(json_array_get(first->reports, 0), "setting");
    char text[SETTING_ROOM] = "";
    if (first->simulated)
        snprintf(text, sizeof text, "Simulated: %s", first->simulated);
    else if (setting)
        setting_line(setting, text, sizeof text);
    svg_note(picture->out, INDENT, top + 16, WIDTH - 2 * INDENT, text);
}

/* Returns the height. Without `out` nothing is drawn. */
static double draw_all(const struct picture *picture)
{
    double top = 0;
    for (int f = 0; f < picture->files; f++)
        top += picture->figure->kind == OUTER_VIOLINS
                   ? draw_violins(picture, &picture->measured[f], top)
                   : draw_chart(picture, &picture->measured[f], top);
    if (picture->out)
        draw_foot(picture, top);
    return top + FOOT;
}

int outer_draw(const struct outer_measured *measured, int files, const struct outer_figure *figure,
               const char *path)
{
    struct picture picture = {.measured = measured, .files = files, .figure = figure};
    struct output output;
    char title[128];
    find_methods(&picture);
    outer_title(figure, title, sizeof title);
    if (!output_open(&output, "outer", path))
        return 1;
    const double height = draw_all(&picture);
    picture.out = output.file;
    svg_begin(output.file, WIDTH, height, title);
    draw_all(&picture);
    svg_end(output.file);
    return !output_close(&output, true);
}
