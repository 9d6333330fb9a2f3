/* SPDX-License-Identifier: BSD-3-Clause */
/* A tree of many ranks: the root on the left, one row per rank, so that it grows downwards only. */
#include <math.h>
#include <string.h>

#include "cli/algorithms/picture.h"
#include "cli/plot/svg.h"
#include "cli/plot/svg_shapes.h"

enum { TOP = 60, ROW = 22, RADIUS = 10, LEFT = 40, RIGHT = 40, STEP = 110 };

void picture_rounds_text(char *text, size_t room, double first, double last)
{
    text[0] = 0;
    if (first > 0)
        snprintf(text, room, last > first ? "%.0f-%.0f" : "%.0f", first, last);
}

void picture_sideways_size(int ranks, double *width, double *height)
{
    *width = SVG_PAGE;
    *height = TOP + ROW * (ranks + 1);
}

static double y_of(int rank)
{
    return TOP + ROW * (rank + 0.5);
}

/* Messages to the parent are blue, those from it red-brown; both ways: blue. */
static void draw_edge(const struct picture_edge *edges, int rank, double step, FILE *out)
{
    const struct picture_edge *edge = &edges[rank];
    double x = LEFT + step * edge->depth - RADIUS, y = y_of(rank);
    double px = x - step + 2 * RADIUS, py = y_of(edge->parent);
    bool up = edge->up_first > 0, down = edge->down_first > 0;
    if (step < 4 * RADIUS) { /* no room for a curve */
        double from = x + RADIUS, to = px - RADIUS;
        if (up)
            svg_arrow(out, from, y, to, py, "#0072b2", 1.2, down ? 0 : RADIUS);
        else
            svg_arrow(out, to, py, from, y, "#d55e00", 1.2, RADIUS);
        return;
    }
    svg_curve(out, x, y, px, py, up ? "#0072b2" : "#d55e00", 1.2);
    if (up && !down)
        svg_arrow(out, px + 6, py, px, py, "#0072b2", 1.2, 0);
    if (down && !up)
        svg_arrow(out, x - 6, y, x, y, "#d55e00", 1.2, 0);
}

/* In front of the child, whose row is its own. */
static void label_edge(const struct picture_edge *edges, int rank, double step, FILE *out)
{
    const struct picture_edge *edge = &edges[rank];
    char up[32], down[32], text[72];
    picture_rounds_text(up, sizeof up, edge->up_first, edge->up_last);
    picture_rounds_text(down, sizeof down, edge->down_first, edge->down_last);
    snprintf(text, sizeof text, "%s%s%s", up, *up && *down ? ", " : "", down);
    double x = LEFT + step * edge->depth - RADIUS - 10 - svg_text_width(text, 10) / 2;
    svg_label(out, x, y_of(rank) + 3.5, 10, text);
}

void picture_sideways(const struct picture_edge *edges, int ranks, int depth, FILE *out)
{
    double step = fmin(STEP, (double)(SVG_PAGE - LEFT - RIGHT) / fmax(depth, 1));
    for (int r = 0; r < ranks; r++)
        if (edges[r].parent >= 0)
            draw_edge(edges, r, step, out);
    for (int r = 0; r < ranks; r++)
        if (edges[r].parent >= 0)
            label_edge(edges, r, step, out);
    for (int r = 0; r < ranks; r++)
        svg_node(out, LEFT + step * edges[r].depth, y_of(r), RADIUS,
                 edges[r].parent < 0 ? "#ffd27f" : "#e8f1fa", r);
}
