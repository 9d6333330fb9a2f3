/* SPDX-License-Identifier: BSD-3-Clause */
/* A chart: axes, lines, their names. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plot/svg.h"
#include "cli/plot/svg_axis.h"
#include "cli/plot/svg_bars.h"
#include "cli/plot/svg_style.h"

enum { LEFT = 80, RIGHT = 14, TOP = 30, BOTTOM = 44, DENSE = 200, SERIES = 128, LABEL = 11 };

/* A series' place in pixels. */
struct place {
    const struct svg_axis *x, *y;
    double shift; /* pixels to the right */
};

enum { BESIDE = 6 }; /* pixels between series that are shifted */

static void line(FILE *out, double x1, double y1, double x2, double y2, const char *attributes)
{
    fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2,
            attributes);
}

static bool coincide(const struct svg_series *a, const struct svg_series *b,
                     const struct place *place)
{
    const double near = 2; /* pixels */
    int together = 0;
    if (a->points != b->points || a->parts != b->parts || !a->points)
        return false;
    for (int i = 0; i < a->points; i++)
        together +=
            fabs(svg_axis_at(place->x, a->point[i].x) - svg_axis_at(place->x, b->point[i].x)) <
                near &&
            fabs(svg_axis_at(place->y, a->point[i].y) - svg_axis_at(place->y, b->point[i].y)) <
                near;
    return 4 * together >= 3 * a->points;
}

/* The number of lines that will lie on this one: it must be visible below them. */
static int covered(const struct svg_chart *chart, int which, const struct place *place)
{
    const int most = 2;
    int count = 0;
    for (int s = which + 1; s < chart->count && count < most; s++)
        count += chart->series[s].style >= 0 &&
                 coincide(&chart->series[which], &chart->series[s], place);
    return count;
}

static void draw_bar(FILE *out, const struct svg_point *p, const struct place *place,
                     const char *stroke)
{
    double at = svg_axis_at(place->x, p->x) + place->shift, low = svg_axis_at(place->y, p->low);
    double high = svg_axis_at(place->y, p->high);
    if (!(p->low < p->high))
        return;
    line(out, at, low, at, high, stroke);
    line(out, at - 3, low, at + 3, low, stroke);
    line(out, at - 3, high, at + 3, high, stroke);
}

static void draw_rings(FILE *out, const struct svg_series *series, const struct place *place)
{
    fputs("<g>", out);
    svg_title(out, series->name);
    for (int i = 0; i < series->points; i++)
        fprintf(out,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"6.5\" fill=\"none\" stroke=\"%s\" "
                "stroke-width=\"1.4\"/>\n",
                svg_axis_at(place->x, series->point[i].x) + place->shift,
                svg_axis_at(place->y, series->point[i].y), svg_colour(series));
    fputs("</g>\n", out);
}

/* From the low ends to the right, and back along the high ends. A point without an interval narrows
 * the band to its line. */
static void draw_band(FILE *out, const struct svg_series *series, const struct place *place)
{
    bool any = false;
    for (int i = 0; i < series->points; i++)
        any = any || series->point[i].low < series->point[i].high;
    if (!any || series->style < 0)
        return;
    fprintf(out, "<polygon fill=\"%s\" fill-opacity=\"0.18\" stroke=\"none\" points=\"",
            svg_colour(series));
    for (int i = 0; i < 2 * series->points; i++) {
        const bool back = i >= series->points;
        const struct svg_point *p = &series->point[back ? 2 * series->points - 1 - i : i];
        fprintf(out, "%.1f,%.1f ", svg_axis_at(place->x, p->x),
                svg_axis_at(place->y, back ? p->high : p->low));
    }
    fputs("\"/>\n", out);
}

static void draw_series(FILE *out, const struct svg_series *series, int below, bool bars,
                        const struct place *place)
{
    bool dense = series->points > DENSE; /* markers would hide the line */
    bool marks = !dense && series->parts == SVG_LINE_AND_MARKS;
    char stroke[64];
    if (series->parts == SVG_RINGS) {
        draw_rings(out, series, place);
        return;
    }
    snprintf(stroke, sizeof stroke, "stroke=\"%s\" stroke-width=\"1.2\"", svg_colour(series));
    fputs("<g>", out);
    if (series->name)
        svg_title(out, series->name);
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\" %s points=\"",
            svg_colour(series), series->style < 0 || dense ? 0.9 : 1.8 + 4 * below,
            dense || below ? "" : svg_dashes_of(series));
    for (int i = 0; i < series->points; i++)
        fprintf(out, "%.1f,%.1f ", svg_axis_at(place->x, series->point[i].x) + place->shift,
                svg_axis_at(place->y, series->point[i].y));
    fputs("\"/>\n", out);
    for (int i = 0; i < series->points && series->style >= 0; i++) {
        const struct svg_point *p = &series->point[i];
        if (bars)
            draw_bar(out, p, place, stroke);
        if (marks)
            svg_marker(out, series, svg_axis_at(place->x, p->x) + place->shift,
                       svg_axis_at(place->y, p->y), 3.5 + 2.5 * below);
    }
    fputs("</g>\n", out);
}

/* Smallest and largest coordinates of all points, bars too. */
static struct svg_point range(const struct svg_chart *chart, struct svg_point *most)
{
    struct svg_point least = {INFINITY, INFINITY, 0, 0};
    *most = (struct svg_point){-INFINITY, -INFINITY, 0, 0};
    for (int s = 0; s < chart->count; s++)
        for (int i = 0; i < chart->series[s].points; i++) {
            const struct svg_point *p = &chart->series[s].point[i];
            bool bars = chart->series[s].style >= 0; /* grey ones have none */
            least.x = fmin(least.x, p->x);
            most->x = fmax(most->x, p->x);
            least.y = fmin(least.y, bars ? fmin(p->y, p->low) : p->y);
            most->y = fmax(most->y, bars ? fmax(p->y, p->high) : p->y);
        }
    return least;
}

/* Ticks at the points, unless there are too many. */
static void ticks_at_points(const struct svg_chart *chart, struct svg_axis *axis)
{
    double values[SVG_TICKS];
    int count = 0;
    for (int s = 0; s < chart->count; s++)
        for (int i = 0; i < chart->series[s].points; i++) {
            double x = chart->series[s].point[i].x;
            int at = 0;
            while (at < count && values[at] < x)
                at++;
            if (at < count && values[at] <= x)
                continue;
            if (count == SVG_TICKS)
                return;
            memmove(values + at + 1, values + at, (size_t)(count - at) * sizeof *values);
            values[at] = x;
            count++;
        }
    svg_axis_ticks(axis, values, count);
}

/* A name at the end of its line. */
struct label {
    const struct svg_series *series;
    double x, y, at; /* the line's end; the name's place */
};

static int by_height(const void *a, const void *b)
{
    const struct label *p = a, *q = b;
    return (p->y > q->y) - (p->y < q->y);
}

static bool is_named(const struct svg_series *series)
{
    return series->points && series->style >= 0 && series->parts != SVG_RINGS;
}

static double label_width(const struct svg_chart *chart)
{
    double width = 0;
    for (int s = 0; s < chart->count; s++)
        if (is_named(&chart->series[s]))
            width = fmax(width, svg_text_width(chart->series[s].name, LABEL));
    return width;
}

/* Places names without overlap, within the chart if possible. */
static void draw_labels(FILE *out, const struct svg_chart *chart, const struct place *place)
{
    const double apart = LABEL + 2;
    struct label labels[SERIES];
    int count = 0;
    for (int s = 0; s < chart->count && count < SERIES; s++) {
        const struct svg_series *series = &chart->series[s];
        if (!is_named(series))
            continue;
        const struct svg_point *end = &series->point[series->points - 1];
        double y = svg_axis_at(place->y, end->y);
        labels[count++] = (struct label){series, svg_axis_at(place->x, end->x), y, y};
    }
    qsort(labels, (size_t)count, sizeof *labels, by_height);
    for (int i = 1; i < count; i++)
        labels[i].at = fmax(labels[i].at, labels[i - 1].at + apart);
    double lowest = place->y->from;
    for (int i = count - 1; i >= 0; i--) {
        labels[i].at = fmin(labels[i].at, lowest);
        lowest = labels[i].at - apart;
    }
    for (int i = 0; i < count; i++) {
        const struct label *label = &labels[i];
        char attributes[80], stroke[96];
        snprintf(attributes, sizeof attributes, "font-size=\"%d\" fill=\"%s\"", LABEL,
                 svg_colour(label->series));
        snprintf(stroke, sizeof stroke, "stroke=\"%s\" stroke-width=\"0.6\"",
                 svg_colour(label->series));
        line(out, label->x + 4, label->y, place->x->to + 10, label->at, stroke);
        svg_text(out, place->x->to + 13, label->at + 4, attributes, label->series->name);
    }
}

/* The largest size that fits. */
static void draw_title(FILE *out, const struct svg_chart *c, const char *title, double middle)
{
    char attributes[96];
    double size = fmin(13, 13 * (c->width - 20) / fmax(1, svg_text_width(title, 13) * 1.06));
    middle = fmin(middle, c->left + c->width - svg_text_width(title, size) * 0.53 - 6);
    middle = fmax(middle, c->left + svg_text_width(title, size) * 0.53 + 6);
    snprintf(attributes, sizeof attributes,
             "text-anchor=\"middle\" font-weight=\"bold\" font-size=\"%.1f\"", size);
    svg_text(out, middle, c->top + 20, attributes, title);
}

/* The title tells the only x. */
static void draw_bars(FILE *out, const struct svg_chart *c, double only)
{
    char x[32], title[320];
    struct svg_axis axis = svg_axis(c->x_unit, false, only, only, 0, c->width);
    svg_axis_ticks(&axis, &only, 1);
    svg_axis_text(&axis, only, x, sizeof x);
    snprintf(title, sizeof title, "%s%s%s: %s", c->title, *c->title ? "; " : "", c->x_label, x);
    draw_title(out, c, title, c->left + c->width / 2);
    svg_bars(out, c);
}

void svg_chart(FILE *out, const struct svg_chart *c)
{
    double left = c->left + LEFT;
    double right = c->left + c->width - RIGHT - (c->labels ? label_width(c) + 6 : 0);
    double top = c->top + TOP, bottom = c->top + c->height - BOTTOM;
    char turned[96];
    struct svg_point most, least = range(c, &most);
    bool finite = isfinite(least.x + least.y + most.x + most.y);
    svg_method_sheet(out, c->series, c->count);
    if (finite && svg_is_bars(c)) {
        draw_bars(out, c, least.x);
        return;
    }
    draw_title(out, c, c->title, (left + right) / 2);
    svg_text(out, (left + right) / 2, bottom + 34, "text-anchor=\"middle\"", c->x_label);
    snprintf(turned, sizeof turned,
             "text-anchor=\"middle\" transform=\"translate(%.1f %.1f) rotate(-90)\"", c->left + 12,
             (top + bottom) / 2);
    svg_text(out, 0, 0, turned, c->y_label);
    if (!finite) {
        svg_text(out, (left + right) / 2, (top + bottom) / 2, "text-anchor=\"middle\"",
                 "nothing finite to show");
        return;
    }
    struct svg_axis x = svg_axis(c->x_unit, c->log_x, least.x, most.x, left, right);
    struct svg_axis y = svg_axis(c->y_unit, c->log_y, least.y, most.y, bottom, top);
    struct place place = {&x, &y, 0};
    ticks_at_points(c, &x);
    svg_axis_frame(out, &x, &y);
    for (int s = 0; s < c->count && c->bands; s++)
        draw_band(out, &c->series[s], &place);
    for (int coloured = 0; coloured < 2; coloured++) /* grey ones below */
        for (int s = 0; s < c->count; s++)
            if ((c->series[s].style >= 0) == coloured && c->series[s].points) {
                place.shift = c->beside ? BESIDE * (s - (c->count - 1) / 2.0) : 0;
                draw_series(out, &c->series[s], coloured ? covered(c, s, &place) : 0, !c->bands,
                            &place);
            }
    place.shift = 0;
    if (c->labels)
        draw_labels(out, c, &place);
}
