/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "cli/algorithms/record.h"
#include "cli/plot/svg.h"
#include "cli/plot/svg_axis.h"
#include "cli/plot/svg_shapes.h"
#include "cli/plot/svg_style.h"

enum { LEFT = 78, RIGHT = 24, TOP = 84, BOTTOM = 46, WIDTH = SVG_PAGE, LEGEND = 62 };

/* More arrows would hide the boxes. */
enum { MOST_ARROWS = 400 };

static const struct {
    const char *name, *fill;
} kinds[SUMMAND__TIMELINE_KINDS] = {[SUMMAND__TIMELINE_COMPUTING] = {"computing", "#7c9fd6"},
                                    [SUMMAND__TIMELINE_SENDING] = {"sending", "#e58b5b"},
                                    [SUMMAND__TIMELINE_WAITING] = {"waiting", "#ddd"}};

struct layout {
    const struct summand__timeline *timeline;
    struct svg_axis time; /* us from the first record */
    double row, bottom;
};

static double x_of(const struct layout *layout, double seconds)
{
    return svg_axis_at(&layout->time, (seconds - layout->timeline->begin) * 1e6);
}

static double y_of(const struct layout *layout, int rank)
{
    return TOP + layout->row * (rank + 0.5);
}

static void draw_ground(const struct layout *layout, FILE *out)
{
    char text[32];
    double x = LEFT;
    for (int kind = 0; kind < SUMMAND__TIMELINE_KINDS; kind++, x += 104) {
        svg_box(out, x, LEGEND - 6, 20, 12, kinds[kind].fill, SVG_QUIET);
        svg_text(out, x + 26, LEGEND + 4, "", kinds[kind].name);
    }
    svg_arrow(out, x, LEGEND + 5, x + 20, LEGEND - 5, "#777", 0.9, 0);
    svg_text(out, x + 26, LEGEND + 4, "", "data in flight");
    for (int i = 0; i < layout->time.ticks; i++) {
        x = svg_axis_at(&layout->time, layout->time.tick[i]);
        if (layout->time.tick[i] < 0)
            continue;
        svg_line(out, x, TOP, x, layout->bottom + 4, "#ddd", 1);
        svg_tick_text(layout->time.tick[i], text, sizeof text);
        svg_text(out, x, layout->bottom + 18, "text-anchor=\"middle\"", text);
    }
    svg_text(out, (LEFT + WIDTH - RIGHT) / 2.0, layout->bottom + 36, "text-anchor=\"middle\"",
             "microseconds");
    for (int r = 0; r < layout->timeline->ranks; r++) {
        snprintf(text, sizeof text, "rank %d", r);
        svg_text(out, LEFT - 8, y_of(layout, r) + 4, "text-anchor=\"end\"", text);
    }
}

static void draw_box(const struct layout *layout, int rank, enum summand__timeline_kind kind,
                     double begin, double end, FILE *out)
{
    double x = x_of(layout, begin), width = x_of(layout, end) - x, height = 0.62 * layout->row;
    fprintf(out, "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\"/>\n", x,
            y_of(layout, rank) - height / 2, width > 0.3 ? width : 0.3, height, kinds[kind].fill);
}

/* Merges records of one kind that are less than a fifth of a pixel apart, so the file's size does
 * not grow with the number of steps. */
static void draw_rank(const struct layout *layout, int rank, FILE *out)
{
    const struct summand__timeline *timeline = layout->timeline;
    const struct summand__recorded *all = timeline->of[rank];
    double fifth = (timeline->end - timeline->begin) / (WIDTH - LEFT - RIGHT) / 5;
    size_t count = timeline->count[rank];
    for (size_t i = 0, next; i < count; i = next) {
        enum summand__timeline_kind kind = summand__timeline_kind_of(&all[i]);
        double end = all[i].end;
        for (next = i + 1; next < count && all[next].begin - end < fifth &&
                           (summand__timeline_kind_of(&all[next]) == kind ||
                            all[next].end - all[next].begin < fifth);
             next++)
            end = all[next].end;
        draw_box(layout, rank, kind, all[i].begin, end, out);
    }
}

static void draw_transfers(const struct layout *layout, FILE *out)
{
    const struct summand__timeline *timeline = layout->timeline;
    for (size_t i = 0; i < timeline->transfers && timeline->transfers <= MOST_ARROWS; i++) {
        const struct summand__transfer_time *transfer = &timeline->transfer[i];
        double edge = (transfer->to > transfer->from ? 0.31 : -0.31) * layout->row;
        svg_arrow(out, x_of(layout, transfer->begin), y_of(layout, transfer->from) + edge,
                  x_of(layout, transfer->end), y_of(layout, transfer->to) - edge, "#777", 0.8, 0);
    }
}

void record_draw(const struct summand__timeline *timeline, const char *title, const char *note,
                 FILE *out)
{
    struct layout layout = {.timeline = timeline};
    double us = (timeline->end - timeline->begin) * 1e6;
    layout.row = timeline->ranks <= 16 ? 36 : 22;
    layout.bottom = TOP + layout.row * timeline->ranks;
    layout.time = svg_axis(false, 0, us > 0 ? us : 1, LEFT, WIDTH - RIGHT);
    svg_begin(out, WIDTH, layout.bottom + BOTTOM, title);
    svg_heading(out, 16, 24, WIDTH - 32, title);
    svg_text(out, 16, 42, "fill=\"" SVG_QUIET "\"", note);
    draw_ground(&layout, out);
    for (int r = 0; r < timeline->ranks; r++)
        draw_rank(&layout, r, out);
    draw_transfers(&layout, out);
    svg_end(out);
}
