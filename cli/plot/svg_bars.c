/* SPDX-License-Identifier: BSD-3-Clause */
/* A chart of a single x: a bar for each series, with its name and its value. */
#include <math.h>
#include <string.h>

#include "cli/plot/svg.h"
#include "cli/plot/svg_axis.h"
#include "cli/plot/svg_bars.h"
#include "cli/plot/svg_shapes.h"
#include "cli/plot/svg_style.h"

enum { EDGE = 14, NAME = 11, VALUE = 70, TOP = 34, BOTTOM = 44 };

bool svg_is_bars(const struct svg_chart *c)
{
    const struct svg_point *first = NULL;
    for (int s = 0; s < c->count; s++)
        for (int i = 0; i < c->series[s].points; i++) {
            const struct svg_point *p = &c->series[s].point[i];
            if (first && (p->x < first->x || p->x > first->x))
                return false;
            first = p;
        }
    return first;
}

static void value_text(const struct svg_chart *c, double value, char *text, size_t room)
{
    if (c->y_unit == SVG_TIME)
        svg_time_text(value, text, room);
    else if (c->y_unit == SVG_SIZE)
        svg_size_text(value, text, room);
    else
        snprintf(text, room, "%.3g", value);
}

static void draw_bar(FILE *out, const struct svg_chart *c, const struct svg_series *series,
                     const struct svg_axis *x, double middle, double slot)
{
    const struct svg_point *p = &series->point[0];
    const double zero = svg_axis_at(x, 0), at = svg_axis_at(x, p->y);
    const double thick = fmin(0.7 * slot, 22), size = fmin(NAME, 0.85 * slot);
    double end = fmax(zero, at);
    char text[32], attributes[64];
    fputs("<g>", out);
    svg_title(out, series->name);
    svg_box(out, fmin(zero, at), middle - thick / 2, fabs(at - zero), thick, svg_colour(series),
            "none");
    if (p->low < p->high) {
        const double low = svg_axis_at(x, p->low), high = svg_axis_at(x, p->high);
        svg_line(out, low, middle, high, middle, SVG_INK, 1.2);
        svg_line(out, low, middle - 3, low, middle + 3, SVG_INK, 1.2);
        svg_line(out, high, middle - 3, high, middle + 3, SVG_INK, 1.2);
        end = fmax(end, high);
    }
    value_text(c, p->y, text, sizeof text);
    snprintf(attributes, sizeof attributes, "font-size=\"%.1f\"", size);
    svg_text(out, end + 6, middle + 0.36 * size, attributes, text);
    snprintf(attributes, sizeof attributes, "text-anchor=\"end\" font-size=\"%.1f\"", size);
    svg_text(out, x->from - 6, middle + 0.36 * size, attributes, series->name);
    fputs("</g>\n", out);
}

void svg_bars(FILE *out, const struct svg_chart *c)
{
    double names = 0, least = 0, most = 0;
    int rows = 0, row = 0;
    for (int s = 0; s < c->count; s++)
        if (c->series[s].points) {
            const struct svg_point *p = &c->series[s].point[0];
            names = fmax(names, svg_text_width(c->series[s].name, NAME));
            least = fmin(least, fmin(p->y, p->low));
            most = fmax(most, fmax(p->y, p->high));
            rows++;
        }
    const double top = c->top + TOP, bottom = c->top + c->height - BOTTOM;
    const double slot = fmin((bottom - top) / rows, 34);
    const struct svg_axis y = {.from = top + slot * rows, .to = top};
    struct svg_axis x =
        svg_axis_exact(c->y_unit, least, least < most ? most : least + 1,
                       c->left + EDGE + names + 6, c->left + c->width - EDGE - VALUE);
    svg_axis_frame(out, &x, &y);
    svg_text(out, (x.from + x.to) / 2, y.from + 34, "text-anchor=\"middle\"", c->y_label);
    for (int s = 0; s < c->count; s++)
        if (c->series[s].points)
            draw_bar(out, c, &c->series[s], &x, top + slot * (row++ + 0.5), slot);
}
