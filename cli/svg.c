#include "svg.h"

#include <math.h>
#include <string.h>

#include "svg_axis.h"

/* Okabe and Ito's colours, told apart by most colour-blind readers too. */
#define DASHES(lengths) "stroke-dasharray=\"" lengths "\""

static const struct style {
    const char *colour, *dashes;
} styles[] = {{"#0072b2", ""}, {"#56b4e9", DASHES("7 3")},
              {"#009e73", ""}, {"#7fbf3f", DASHES("7 3")},
              {"#d55e00", ""}, {"#cc79a7", DASHES("2 2")}};

enum {
    STYLES = sizeof styles / sizeof *styles,
    LEFT = 76,
    RIGHT = 14,
    TOP = 30,
    BOTTOM = 44,
    DENSE = 200,
    BESIDE = 6 /* pixels */
};

static void escaped(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        default:
            fputc(*text, out);
        }
}

void svg_text(FILE *out, double x, double y, const char *attributes, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    escaped(out, text);
    fputs("</text>\n", out);
}

void svg_begin(FILE *out, double width, double height, const char *title)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"12\" "
            "fill=\"#222\">\n<title>",
            width, height, width, height);
    escaped(out, title);
    fputs("</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n", out);
}

void svg_end(FILE *out)
{
    fputs("</svg>\n", out);
}

static void line(FILE *out, double x1, double y1, double x2, double y2, const char *attributes)
{
    fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2,
            attributes);
}

/* A circle, square, triangle or diamond. */
static void marker(FILE *out, int style, double x, double y)
{
    const char *colour = styles[style % STYLES].colour;
    switch (style % 4) {
    case 0:
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>\n", x, y, colour);
        break;
    case 1:
        fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"6\" height=\"6\" fill=\"%s\"/>\n", x - 3,
                y - 3, colour);
        break;
    case 2:
        fprintf(out, "<polygon points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\" fill=\"%s\"/>\n", x, y - 4,
                x + 4, y + 3, x - 4, y + 3, colour);
        break;
    default:
        fprintf(out, "<polygon points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f\" fill=\"%s\"/>\n",
                x, y - 4, x + 4, y, x, y + 4, x - 4, y, colour);
    }
}

static void draw_series(FILE *out, const struct svg_series *series, const struct svg_axis *x,
                        const struct svg_axis *y, double shift)
{
    const struct style *style = &styles[series->style % STYLES];
    bool dense = series->points > DENSE; /* markers would hide the line */
    char stroke[64];
    snprintf(stroke, sizeof stroke, "stroke=\"%s\" stroke-width=\"1.2\"", style->colour);
    fprintf(out,
            "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" "
            "%s points=\"",
            style->colour, dense ? "0.8" : "1.8", dense ? "" : style->dashes);
    for (int i = 0; i < series->points; i++)
        fprintf(out, "%.1f,%.1f ", svg_axis_at(x, series->point[i].x) + shift,
                svg_axis_at(y, series->point[i].y));
    fputs("\"/>\n", out);
    for (int i = 0; i < series->points; i++) {
        const struct svg_point *p = &series->point[i];
        double at = svg_axis_at(x, p->x) + shift, low = svg_axis_at(y, p->low), high;
        high = svg_axis_at(y, p->high);
        if (p->low < p->high) {
            line(out, at, low, at, high, stroke);
            line(out, at - 3, low, at + 3, low, stroke);
            line(out, at - 3, high, at + 3, high, stroke);
        }
        if (!dense)
            marker(out, series->style, at, svg_axis_at(y, p->y));
    }
}

static void draw_axes(FILE *out, const struct svg_axis *x, const struct svg_axis *y)
{
    char text[32];
    double end = -INFINITY; /* of the last label: those that would overlap are left out */
    for (int i = 0; i < x->ticks; i++) {
        double at = svg_axis_at(x, x->tick[i]);
        line(out, at, y->from, at, y->to, "stroke=\"#e4e4e4\"");
        svg_tick_text(x->tick[i], text, sizeof text);
        double half = 3.5 * (double)strlen(text);
        if (at - half < end + 6)
            continue;
        svg_text(out, at, y->from + 16, "text-anchor=\"middle\"", text);
        end = at + half;
    }
    for (int i = 0; i < y->ticks; i++) {
        double at = svg_axis_at(y, y->tick[i]);
        line(out, x->from, at, x->to, at, "stroke=\"#e4e4e4\"");
        svg_tick_text(y->tick[i], text, sizeof text);
        svg_text(out, x->from - 6, at + 4, "text-anchor=\"end\"", text);
    }
    fprintf(out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
            "stroke=\"#222\"/>\n",
            x->from, y->to, x->to - x->from, y->from - y->to);
}

/* Smallest and largest coordinates of all points, bars too. */
static struct svg_point range(const struct svg_chart *chart, struct svg_point *most)
{
    struct svg_point least = {INFINITY, INFINITY, 0, 0};
    *most = (struct svg_point){-INFINITY, -INFINITY, 0, 0};
    for (int s = 0; s < chart->count; s++)
        for (int i = 0; i < chart->series[s].points; i++) {
            const struct svg_point *p = &chart->series[s].point[i];
            least.x = fmin(least.x, p->x);
            most->x = fmax(most->x, p->x);
            least.y = fmin(least.y, fmin(p->y, p->low));
            most->y = fmax(most->y, fmax(p->y, p->high));
        }
    return least;
}

void svg_chart(FILE *out, const struct svg_chart *c)
{
    double left = c->left + LEFT, right = c->left + c->width - RIGHT;
    double top = c->top + TOP, bottom = c->top + c->height - BOTTOM;
    char turned[96];
    struct svg_point most, least = range(c, &most);
    svg_text(out, (left + right) / 2, c->top + 20, "text-anchor=\"middle\" font-weight=\"bold\"",
             c->title);
    svg_text(out, (left + right) / 2, bottom + 34, "text-anchor=\"middle\"", c->x_label);
    snprintf(turned, sizeof turned,
             "text-anchor=\"middle\" transform=\"translate(%.1f %.1f) rotate(-90)\"", c->left + 16,
             (top + bottom) / 2);
    svg_text(out, 0, 0, turned, c->y_label);
    if (!isfinite(least.x + least.y + most.x + most.y)) {
        svg_text(out, (left + right) / 2, (top + bottom) / 2, "text-anchor=\"middle\"",
                 "nothing finite to show");
        return;
    }
    struct svg_axis x = svg_axis(c->log_x, least.x, most.x, left, right);
    struct svg_axis y = svg_axis(c->log_y, least.y, most.y, bottom, top);
    draw_axes(out, &x, &y);
    for (int s = 0; s < c->count; s++)
        draw_series(out, &c->series[s], &x, &y,
                    c->beside ? BESIDE * (s - (c->count - 1) / 2.0) : 0);
}

double svg_legend_width(const struct svg_series *series)
{
    return 54 + 7.5 * (double)strlen(series->name);
}

void svg_legend(FILE *out, const struct svg_series *series, int count, double left, double top)
{
    for (int i = 0; i < count; i++) {
        const struct style *style = &styles[series[i].style % STYLES];
        char stroke[96];
        snprintf(stroke, sizeof stroke, "stroke=\"%s\" stroke-width=\"1.8\" %s", style->colour,
                 style->dashes);
        line(out, left, top, left + 28, top, stroke);
        marker(out, series[i].style, left + 14, top);
        svg_text(out, left + 34, top + 4, "", series[i].name);
        left += svg_legend_width(&series[i]);
    }
}
