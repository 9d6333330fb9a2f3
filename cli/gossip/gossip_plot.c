/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/gossip/gossip_plot.h"

#include "cli/gossip/gossip.h"
#include "cli/output/output.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS_MOST = 1024, PAGE = 780, HEIGHT = 440, TOP = 48, INDENT = 20 };

/* Drops every other point, and skips every other one from now on. */
static void thin(struct gossip_curve *c)
{
    for (int k = 0; 2 * k < c->count; k++)
        c->points[k] = c->points[2 * k];
    c->count = (c->count + 1) / 2;
    c->every = 2 * c->every + 1;
}

void gossip_curve_add(struct gossip_curve *c, double x, double error)
{
    if (c->count && c->skipped++ < c->every)
        return;
    c->skipped = 0;
    if (c->count == POINTS_MOST)
        thin(c);
    if (c->count == c->capacity) {
        int capacity = c->capacity ? 2 * c->capacity : 64;
        void *grown = realloc(c->points, (size_t)capacity * sizeof *c->points);
        if (!grown)
            return;
        c->points = grown;
        c->capacity = capacity;
    }
    double y = error > 1e-17 ? fmin(error, 1e3) : error <= 1e-17 ? 1e-17 : 1e3; /* NaN: above */
    c->points[c->count++] = (struct svg_point){x, y, y, y};
}

void gossip_curve_free(struct gossip_curve *curves, int count)
{
    for (int k = 0; curves && k < count; k++)
        free(curves[k].points);
    free(curves);
}

int gossip_plot(const char *command, const char *path, const char *title, const char *x_label,
                const struct gossip_curve *curves, const char *const *names, int count)
{
    struct output output;
    struct svg_series *series = calloc((size_t)count, sizeof *series);
    if (!series)
        return complain(command, "out of memory");
    if (!output_open(&output, command, path)) {
        free(series);
        return 1;
    }
    for (int k = 0; k < count; k++)
        series[k] = (struct svg_series){names ? names[k] : "run", names ? 0 : SVG_GREY_LINE,
                                        curves[k].count, curves[k].points};
    if (names)
        svg_look(series, count);
    else
        series[0].style = 0; /* the first one stands out */
    double top = TOP;
    if (names)
        top += svg_legend_rows(NULL, series, count, INDENT, TOP, PAGE - 2 * INDENT);
    struct svg_chart chart = {.title = names ? "" : "in colour: the first run",
                              .x_label = x_label,
                              .y_label = "largest relative error",
                              .log_y = true,
                              .count = count,
                              .series = series,
                              .top = top,
                              .width = PAGE,
                              .height = HEIGHT};
    svg_begin(output.file, PAGE, top + HEIGHT, title);
    svg_heading(output.file, INDENT, 22, PAGE - 2 * INDENT, title);
    if (names)
        svg_legend_rows(output.file, series, count, INDENT, TOP, PAGE - 2 * INDENT);
    svg_chart(output.file, &chart);
    svg_end(output.file);
    free(series);
    return output_close(&output, true) ? 0 : 1;
}
