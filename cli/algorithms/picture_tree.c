/* SPDX-License-Identifier: BSD-3-Clause */
/* A tree: one column per rank, one row per depth, each edge with the round of its message. A tree
 * wider than a page lies on its side (picture_sideways.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/algorithms/picture.h"
#include "cli/plot/svg.h"
#include "cli/plot/svg_shapes.h"
#include "cli/plot/svg_style.h"

enum { MARGIN = 36, HEAD = 56, LEAST_WIDTH = 620 };
static const char root_fill[] = "#ffd27f", node_fill[] = "#e8f1fa";

static void note(double time, double *first, double *last)
{
    if (!*first || time < *first)
        *first = time;
    if (time > *last)
        *last = time;
}

/* Computes depths from parents; false if there is a cycle or a parent outside of the tree. */
static bool find_depths(struct picture_edge *edges, int ranks)
{
    for (int r = 0; r < ranks; r++) {
        int depth = 0;
        for (int at = r; edges[at].parent >= 0; at = edges[at].parent)
            if (++depth > ranks)
                return false;
        edges[r].depth = depth;
    }
    return true;
}

/* Upwards if every rank but one sends first to one rank only; downwards if each receives first from
 * one. */
static bool find_parents(const struct picture *picture, struct picture_edge *edges, bool upwards)
{
    int roots = 0;
    for (int r = 0; r < picture->ranks; r++)
        edges[r].parent = -1;
    for (size_t i = 0; i < picture->count; i++) {
        const struct picture_message *m = &picture->messages[i];
        int child = upwards ? m->from : m->to, parent = upwards ? m->to : m->from;
        if (edges[child].parent < 0 && edges[parent].parent != child)
            edges[child].parent = parent;
        else if (edges[child].parent != parent && edges[parent].parent != child)
            return false;
    }
    for (int r = 0; r < picture->ranks; r++)
        roots += edges[r].parent < 0;
    return roots == 1 && find_depths(edges, picture->ranks);
}

bool picture_find_tree(const struct picture *picture, struct picture_edge *edges)
{
    if (!find_parents(picture, edges, true) && !find_parents(picture, edges, false))
        return false;
    for (int r = 0; r < picture->ranks; r++)
        edges[r].up_first = edges[r].up_last = edges[r].down_first = edges[r].down_last = 0;
    for (size_t i = 0; i < picture->count; i++) {
        const struct picture_message *m = &picture->messages[i];
        if (edges[m->from].parent == m->to)
            note(m->end, &edges[m->from].up_first, &edges[m->from].up_last);
        else
            note(m->end, &edges[m->to].down_first, &edges[m->to].down_last);
    }
    return true;
}

struct layout {
    double column, row, radius, top;
    int depth;
};

/* The distance in columns to the nearest rank of the same depth on the way from `rank` to
 * `towards`. */
static int nearest(const struct picture_edge *edges, int rank, int towards)
{
    int step = towards > rank ? 1 : -1;
    for (int r = rank + step; r != towards; r += step)
        if (edges[r].depth == edges[rank].depth)
            return abs(r - rank);
    return 0;
}

/* The least height at which no edge touches a node other than its ends. */
static double row_height(const struct picture_edge *edges, int ranks, double radius)
{
    double height = 58;
    for (int r = 0; r < ranks; r++) {
        int parent = edges[r].parent;
        if (parent < 0)
            continue;
        int below = nearest(edges, r, parent), above = nearest(edges, parent, r);
        if (below)
            height = fmax(height, (radius + 5) * abs(parent - r) / below);
        if (above)
            height = fmax(height, (radius + 5) * abs(parent - r) / above);
    }
    return height;
}

enum { LETTER = 7 }; /* width of a digit in a label */

static size_t longest_label(const struct picture_edge *edges, int ranks)
{
    size_t longest = 0;
    for (int r = 0; r < ranks; r++) {
        char up[32], down[32];
        picture_rounds_text(up, sizeof up, edges[r].up_first, edges[r].up_last);
        picture_rounds_text(down, sizeof down, edges[r].down_first, edges[r].down_last);
        longest = strlen(up) > longest ? strlen(up) : longest;
        longest = strlen(down) > longest ? strlen(down) : longest;
    }
    return longest;
}

static struct layout make_layout(const struct picture *picture, const struct picture_edge *edges)
{
    struct layout layout = {.top = HEAD + 20};
    for (int r = 0; r < picture->ranks; r++)
        if (edges[r].depth > layout.depth)
            layout.depth = edges[r].depth;
    layout.column = fmax(picture->ranks <= 16   ? 48
                         : picture->ranks <= 32 ? 38
                                                : 30,
                         LETTER * (double)longest_label(edges, picture->ranks) + 8);
    layout.radius = picture->ranks <= 16 ? 14 : picture->ranks <= 100 ? 11 : 10;
    layout.row = layout.depth > 12 ? 40 : row_height(edges, picture->ranks, layout.radius);
    return layout;
}

static double x_of(const struct layout *layout, int rank)
{
    return MARGIN + layout->column * (rank + 0.5);
}

static double y_of(const struct layout *layout, const struct picture_edge *edge)
{
    return layout->top + layout->row * edge->depth;
}

static void draw_edge(const struct layout *layout, const struct picture_edge *edges, int rank,
                      FILE *out)
{
    const struct picture_edge *edge = &edges[rank], *parent = &edges[edge->parent];
    double x = x_of(layout, rank), y = y_of(layout, edge);
    double px = x_of(layout, edge->parent), py = y_of(layout, parent);
    bool both = edge->up_first > 0 && edge->down_first > 0;
    if (both)
        svg_line(out, x, y, px, py, "#0072b2", 1.4);
    else if (edge->up_first > 0)
        svg_arrow(out, x, y, px, py, "#0072b2", 1.4, layout->radius);
    else
        svg_arrow(out, px, py, x, y, "#d55e00", 1.4, layout->radius);
}

/* Near the child, where edges with the same parent are apart, and clear of the child's circle. */
static void label_edge(const struct layout *layout, const struct picture_edge *edges, int rank,
                       FILE *out)
{
    const struct picture_edge *edge = &edges[rank];
    char up[32], down[32];
    picture_rounds_text(up, sizeof up, edge->up_first, edge->up_last);
    picture_rounds_text(down, sizeof down, edge->down_first, edge->down_last);
    size_t letters = strlen(up) > strlen(down) ? strlen(up) : strlen(down);
    double lines = *up && *down ? 2 : 1;
    double x = x_of(layout, rank), y = y_of(layout, edge);
    double dx = x_of(layout, edge->parent) - x, dy = y_of(layout, &edges[edge->parent]) - y;
    double length = sqrt(dx * dx + dy * dy);
    double away = layout->radius + 3 + fabs(dx) / length * LETTER * (double)letters / 2 +
                  fabs(dy) / length * 6 * lines;
    away = fmax(away, (layout->radius + 8) * length / fmax(fabs(dy), 1)); /* above the neighbours */
    away = fmin(away, length / 2);
    x += dx / length * away;
    y += dy / length * away + 4;
    if (lines > 1) {
        svg_label(out, x, y - 6, 11, up);
        svg_label(out, x, y + 5, 11, down);
    } else {
        svg_label(out, x, y, 11, *up ? up : down);
    }
}

static void draw_upright(const struct picture *picture, const struct picture_edge *edges,
                         const struct layout *layout, FILE *out)
{
    for (int r = 0; r < picture->ranks; r++)
        if (edges[r].parent >= 0)
            draw_edge(layout, edges, r, out);
    for (int r = 0; r < picture->ranks; r++)
        if (edges[r].parent >= 0)
            label_edge(layout, edges, r, out);
    for (int r = 0; r < picture->ranks; r++)
        svg_node(out, x_of(layout, r), y_of(layout, &edges[r]), layout->radius,
                 edges[r].parent < 0 ? root_fill : node_fill, r);
}

void picture_tree(const struct picture *picture, const struct picture_edge *edges, FILE *out)
{
    struct layout layout = make_layout(picture, edges);
    char title[192], note_text[192];
    double width = fmax(2 * MARGIN + layout.column * picture->ranks, LEAST_WIDTH);
    double height = layout.top + layout.row * layout.depth + 2 * MARGIN;
    bool sideways = width > SVG_PAGE;
    if (sideways)
        picture_sideways_size(picture->ranks, &width, &height);
    picture_title(picture->setup, picture->algorithm, title, sizeof title);
    svg_begin(out, width, height, title);
    svg_heading(out, MARGIN, 24, width - 2 * MARGIN, title);
    snprintf(note_text, sizeof note_text,
             "edges: rounds of the messages, one in and one out at a time; %.0f round%s, depth %d",
             picture->rounds, picture->rounds > 1 ? "s" : "", layout.depth);
    svg_text(out, MARGIN, 42, "fill=\"" SVG_QUIET "\"", note_text);
    if (sideways)
        picture_sideways(edges, picture->ranks, layout.depth, out);
    else
        draw_upright(picture, edges, &layout, out);
    svg_end(out);
}
