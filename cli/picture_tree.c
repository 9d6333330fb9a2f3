/* A tree: one column per rank, one row per depth, each edge with the round of its message. */
#include <math.h>
#include <string.h>

#include "picture.h"
#include "svg.h"
#include "svg_shapes.h"

enum { MARGIN = 36, HEAD = 56 };

static void note(double time, double *first, double *last)
{
    if (!*first || time < *first)
        *first = time;
    if (time > *last)
        *last = time;
}

/* Depths from parents; false where they run in a circle or out of the tree. */
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

/* Upwards if every rank but one sends first to one rank only; downwards if it hears first of one. */
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

static void add_rounds(char *text, size_t room, double first, double last)
{
    size_t used = strlen(text);
    if (!first)
        return;
    if (last > first)
        snprintf(text + used, room - used, "%s%.0f-%.0f", used ? ", " : "", first, last);
    else
        snprintf(text + used, room - used, "%s%.0f", used ? ", " : "", first);
}

struct layout {
    double column, row, radius, top;
    int depth;
};

static struct layout make_layout(const struct picture *picture, const struct picture_edge *edges)
{
    struct layout layout = {.top = HEAD + 20};
    int widest = 0; /* columns that an edge spans */
    for (int r = 0; r < picture->ranks; r++) {
        if (edges[r].depth > layout.depth)
            layout.depth = edges[r].depth;
        int parent = edges[r].parent;
        int span = parent < 0 ? 0 : parent > r ? parent - r : r - parent;
        if (span > widest)
            widest = span;
    }
    bool segments = picture->count >= 2 * (size_t)picture->ranks;
    layout.column = (picture->ranks <= 16 ? 48 : picture->ranks <= 32 ? 38 : 30) + 14 * segments;
    layout.radius = picture->ranks <= 16 ? 14 : picture->ranks <= 100 ? 11 : 10;
    /* Long edges of a flat tree need height, or they run through each other's labels. */
    layout.row = fmax(58, fmin(220, 0.11 * layout.column * widest + 30));
    if (layout.depth > 12)
        layout.row = 34;
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

static void label_edge(const struct layout *layout, const struct picture_edge *edges, int rank,
                       FILE *out)
{
    const struct picture_edge *edge = &edges[rank];
    char text[64] = "";
    add_rounds(text, sizeof text, edge->up_first, edge->up_last);
    add_rounds(text, sizeof text, edge->down_first, edge->down_last);
    double x = x_of(layout, rank), y = y_of(layout, edge);
    double dx = x_of(layout, edge->parent) - x, dy = y_of(layout, &edges[edge->parent]) - y;
    /* Near the child, where edges that share a parent are apart: at a fixed height above it, or at a
     * fixed distance for flat edges. */
    double length = sqrt(dx * dx + dy * dy), away = fmin(layout->radius + 15, length / 2);
    svg_label(out, x + dx / length * away, y + dy / length * away + 4, 11, text);
}

void picture_tree(const struct picture *picture, const struct picture_edge *edges, FILE *out)
{
    struct layout layout = make_layout(picture, edges);
    char title[192], note_text[192];
    double width = fmax(2 * MARGIN + layout.column * picture->ranks, 460);
    double height = layout.top + layout.row * layout.depth + 2 * MARGIN;
    picture_title(picture->setup, picture->algorithm, title, sizeof title);
    svg_begin(out, width, height, title);
    svg_text(out, MARGIN, 24, "font-weight=\"bold\" font-size=\"15\"", title);
    snprintf(note_text, sizeof note_text,
             "edges: round of the message, one in and one out at a time; %.0f rounds, depth %d",
             picture->rounds, layout.depth);
    svg_text(out, MARGIN, 42, "fill=\"#555\"", note_text);
    for (int r = 0; r < picture->ranks; r++)
        if (edges[r].parent >= 0)
            draw_edge(&layout, edges, r, out);
    for (int r = 0; r < picture->ranks; r++)
        if (edges[r].parent >= 0)
            label_edge(&layout, edges, r, out);
    for (int r = 0; r < picture->ranks; r++)
        svg_node(out, x_of(&layout, r), y_of(&layout, &edges[r]), layout.radius,
                 edges[r].parent < 0 ? "#ffd27f" : "#e8f1fa", r);
    svg_end(out);
}
