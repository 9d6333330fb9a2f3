/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "cli/algorithms/crowd.h"
#include "cli/algorithms/record.h"
#include "cli/output/setting.h"
#include "cli/plot/svg.h"
#include "cli/plot/svg_axis.h"
#include "cli/plot/svg_shapes.h"
#include "cli/plot/svg_style.h"

enum { LEFT = 78, RIGHT = 24, TOP = 100, BOTTOM = 46, WIDTH = SVG_PAGE, LEGEND = 78 };

/* More arrows would hide the boxes. */
enum { MOST_ARROWS = 400 };

static const char *const names[SUMMAND__TIMELINE_KINDS] = {[SUMMAND__TIMELINE_COMPUTING] =
                                                               "computing",
                                                           [SUMMAND__TIMELINE_SENDING] = "sending",
                                                           [SUMMAND__TIMELINE_WAITING] = "waiting"};
static const char *const fills[SUMMAND__TIMELINE_KINDS] = {[SUMMAND__TIMELINE_COMPUTING] =
                                                               "#7c9fd6",
                                                           [SUMMAND__TIMELINE_SENDING] = "#e58b5b",
                                                           [SUMMAND__TIMELINE_WAITING] = "#ddd"};

struct layout {
    const struct summand__timeline *timeline;
    double unit;          /* of the axis, per second */
    struct svg_axis time; /* from the first record */
    double row, bottom;
    int rows;
    bool crowd;
};

static double x_of(const struct layout *layout, double seconds)
{
    return svg_axis_at(&layout->time, (seconds - layout->timeline->begin) * layout->unit);
}

static double y_of(const struct layout *layout, int rank)
{
    return TOP + layout->row * (rank / crowd_per_row(layout->timeline->ranks) + 0.5);
}

static bool arrows(const struct layout *layout)
{
    return !layout->crowd && layout->timeline->transfers <= MOST_ARROWS;
}

static void draw_ground(const struct layout *layout, FILE *out)
{
    char text[32];
    double x = LEFT;
    for (int kind = 0; kind < SUMMAND__TIMELINE_KINDS; kind++, x += 104) {
        svg_box(out, x, LEGEND - 6, 20, 12, fills[kind], SVG_QUIET);
        svg_text(out, x + 26, LEGEND + 4, "", names[kind]);
    }
    if (arrows(layout)) {
        svg_arrow(out, x, LEGEND + 5, x + 20, LEGEND - 5, "#777", 0.9, 0);
        svg_text(out, x + 26, LEGEND + 4, "", "data in flight");
    }
    for (int i = 0; i < layout->time.ticks; i++) {
        x = svg_axis_at(&layout->time, layout->time.tick[i]);
        if (layout->time.tick[i] < 0)
            continue;
        svg_line(out, x, TOP, x, layout->bottom + 4, "#ddd", 1);
        svg_axis_text(&layout->time, layout->time.tick[i], text, sizeof text);
        svg_text(out, x, layout->bottom + 18, "text-anchor=\"middle\"", text);
    }
    svg_text(out, (LEFT + WIDTH - RIGHT) / 2.0, layout->bottom + 36, "text-anchor=\"middle\"",
             svg_time_word(layout->unit));
    for (int r = 0; r < layout->rows; r++) {
        crowd_name(layout->timeline->ranks, r, text, sizeof text);
        svg_text(out, LEFT - 8, TOP + layout->row * (r + 0.5) + 4, "text-anchor=\"end\"", text);
    }
}

static void draw_box(const struct layout *layout, int rank, enum summand__timeline_kind kind,
                     double begin, double end, FILE *out)
{
    double x = x_of(layout, begin), width = x_of(layout, end) - x, height = 0.62 * layout->row;
    fprintf(out, "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\"/>\n", x,
            y_of(layout, rank) - height / 2, width > 0.3 ? width : 0.3, height, fills[kind]);
}

static void draw_crowd(const struct layout *layout, FILE *out)
{
    const struct summand__timeline *timeline = layout->timeline;
    struct crowd crowd;
    crowd_begin(&crowd, timeline->ranks, SUMMAND__TIMELINE_KINDS, layout->unit, &layout->time);
    for (int r = 0; r < timeline->ranks; r++)
        for (size_t i = 0; i < timeline->count[r]; i++) {
            const struct summand__recorded *record = &timeline->of[r][i];
            crowd_add(&crowd, r, (int)summand__timeline_kind_of(record),
                      record->begin - timeline->begin, record->end - timeline->begin);
        }
    crowd_draw(&crowd, TOP, layout->row, fills, out);
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
    for (size_t i = 0; arrows(layout) && i < timeline->transfers; i++) {
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
    const double seconds = timeline->end > timeline->begin ? timeline->end - timeline->begin : 1e-6;
    char setting[SETTING_ROOM], crowd[160], line[2 * SETTING_ROOM];
    layout.rows = crowd_rows(timeline->ranks);
    layout.row = layout.rows <= 16 ? 36 : 22;
    layout.bottom = TOP + layout.row * layout.rows;
    layout.unit = svg_time_unit(seconds, NULL);
    layout.time = svg_axis(SVG_NUMBER, false, 0, seconds * layout.unit, LEFT, WIDTH - RIGHT);
    layout.crowd = layout.rows < timeline->ranks; /* of many steps, draw_rank makes few boxes */
    crowd_note(timeline->ranks, layout.crowd, &layout.time, layout.unit, crowd, sizeof crowd);
    setting_line(NULL, setting, sizeof setting);
    snprintf(line, sizeof line, "%s%s", note, crowd);
    svg_begin(out, WIDTH, layout.bottom + BOTTOM, title);
    svg_heading(out, 16, 24, WIDTH - 32, title);
    svg_note(out, 16, 42, WIDTH - 32, line);
    svg_note(out, 16, 58, WIDTH - 32, setting);
    draw_ground(&layout, out);
    if (layout.crowd)
        draw_crowd(&layout, out);
    for (int r = 0; r < timeline->ranks && !layout.crowd; r++)
        draw_rank(&layout, r, out);
    draw_transfers(&layout, out);
    svg_end(out);
}
