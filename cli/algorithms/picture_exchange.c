/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchanges: one column per rank, time runs down by rounds, an arrow per message. Wider pictures
 * become matrices (picture_matrix.c). */
#include <math.h>
#include <stdlib.h>

#include "algorithm/call.h"
#include "cli/algorithms/picture.h"
#include "cli/output/text.h"
#include "cli/plot/svg.h"
#include "cli/plot/svg_shapes.h"
#include "cli/plot/svg_style.h"

enum { LEFT = 150, RIGHT = 30, TOP = 96, LEGEND = 58, BOTTOM = 30, HIGH_ROUNDS = 8 };

/* To a rank with a higher number, and to one with a lower number. */
static const char up[] = "#0072b2", down[] = "#d55e00";

struct layout {
    double column, row, radius;
};

static double x_of(const struct layout *layout, int rank)
{
    return LEFT + layout->column * (rank + 0.5);
}

static double y_of(const struct layout *layout, double time)
{
    return TOP + 14 + layout->row * time;
}

/* "round 3: 4 elements", or fewest to most; the note names the unit. */
static void label_rounds(const struct picture *picture, const struct layout *layout, FILE *out)
{
    for (int round = 1; round <= (int)picture->rounds; round++) {
        size_t least = SIZE_MAX, most = 0;
        char text[96];
        for (size_t i = 0; i < picture->count; i++) {
            const struct picture_message *m = &picture->messages[i];
            if ((int)m->end != round)
                continue;
            least = m->elements < least ? m->elements : least;
            most = m->elements > most ? m->elements : most;
        }
        if (least > most) /* no message */
            continue;
        if (!most)
            snprintf(text, sizeof text, "round %d: counters", round);
        else if (least == most)
            snprintf(text, sizeof text, "round %d: %zu %s%s", round, most,
                     picture_unit(picture->setup->collective), text_plural((long long)most));
        else
            snprintf(text, sizeof text, "round %d: %zu to %zu", round, least, most);
        svg_text(out, LEFT - 6, y_of(layout, round - 0.5) + 4, "text-anchor=\"end\"", text);
    }
}

static void draw_messages(const struct picture *picture, const struct layout *layout, FILE *out)
{
    for (size_t i = 0; i < picture->count; i++) {
        const struct picture_message *m = &picture->messages[i];
        svg_arrow(out, x_of(layout, m->from), y_of(layout, m->begin) + 3, x_of(layout, m->to),
                  y_of(layout, m->end) - 3, m->to > m->from ? up : down, 1.2, 0);
    }
}

static void draw_legend(double x, const char *colour, const char *text, FILE *out)
{
    svg_arrow(out, x, LEGEND, x + 24, LEGEND, colour, 1.2, 0);
    svg_text(out, x + 30, LEGEND + 4, "fill=\"" SVG_QUIET "\"", text);
}

/* Messages in the fullest round. */
static size_t most_at_once(const struct picture *picture)
{
    size_t most = 0;
    for (int round = 1; round <= (int)picture->rounds; round++) {
        size_t count = 0;
        for (size_t i = 0; i < picture->count; i++)
            count += (int)picture->messages[i].end == round;
        most = count > most ? count : most;
    }
    return most;
}

/* A width that fits the ranks' numbers; 0 if the page has no room, or if arrows would only cover
 * each other. */
static double column_width(const struct picture *picture)
{
    enum { MOST_EACH = 5, MOST_EACH_LOW = 2, FEW = 6 };
    const double widest = 46, least = 26;
    double width = fmin(widest, (double)(SVG_PAGE - LEFT - RIGHT) / picture->ranks);
    size_t most = picture->rounds <= HIGH_ROUNDS ? MOST_EACH : MOST_EACH_LOW; /* rows get lower */
    bool tangled = picture->ranks > FEW && most_at_once(picture) > most * (size_t)picture->ranks;
    return width < least || tangled ? 0 : width;
}

static void draw_ground(const struct picture *picture, const struct layout *layout, FILE *out)
{
    for (int r = 0; r < picture->ranks; r++) {
        svg_line(out, x_of(layout, r), y_of(layout, 0), x_of(layout, r),
                 y_of(layout, picture->rounds), "#bbb", 1);
        svg_node(out, x_of(layout, r), TOP - 8, layout->radius, "#e8f1fa", r);
    }
    for (int t = 0; t <= (int)picture->rounds; t++)
        svg_line(out, LEFT, y_of(layout, t), x_of(layout, picture->ranks - 1) + 12, y_of(layout, t),
                 "#eee", 1);
}

void picture_exchange(const struct picture *picture, FILE *out)
{
    struct layout layout = {.column = column_width(picture),
                            .radius = picture->ranks <= 16 ? 13 : 10};
    char title[192], note[192], count[96];
    int farthest = 1;
    picture_title(picture->setup, picture->algorithm, title, sizeof title);
    picture_count_text(picture->setup, count, sizeof count);
    snprintf(note, sizeof note, "%.0f round%s, %zu messages, %s; sizes of messages in %ss",
             picture->rounds, picture->rounds > 1 ? "s" : "", picture->count, count,
             picture_unit(picture->setup->collective));
    if (!(layout.column > 0)) {
        picture_matrix(picture, title, note, out);
        return;
    }
    for (size_t i = 0; i < picture->count; i++) {
        int way = abs(picture->messages[i].to - picture->messages[i].from);
        farthest = way > farthest ? way : farthest;
    }
    /* Long arrows and several partners in a round need height; many rounds must fit on a page. */
    layout.row =
        fmin(150, fmax(picture->rounds <= HIGH_ROUNDS ? 64 : 44, 0.08 * layout.column * farthest));
    if (picture->rounds > 16)
        layout.row = 34;
    double width = fmax(LEFT + layout.column * picture->ranks + RIGHT, 620);
    double height = y_of(&layout, picture->rounds) + BOTTOM;
    svg_begin(out, width, height, title);
    svg_heading(out, 16, 24, width - 32, title);
    svg_text(out, 16, 42, "fill=\"" SVG_QUIET "\"", note);
    draw_legend(16, up, "to a higher rank", out);
    draw_legend(166, down, "to a lower rank", out);
    draw_ground(picture, &layout, out);
    draw_messages(picture, &layout, out);
    label_rounds(picture, &layout, out);
    svg_end(out);
}
