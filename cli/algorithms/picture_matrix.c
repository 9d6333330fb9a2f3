/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchanges of many ranks: a square per round, a row per sender, a column per receiver, a cell per
 * message. For too many rounds, one square: later messages have a stronger colour. */
#include <math.h>
#include <stdlib.h>

#include "cli/algorithms/picture.h"
#include "cli/plot/svg.h"
#include "cli/plot/svg_shapes.h"
#include "cli/plot/svg_style.h"

enum { TOP = 60, MARGIN = 16, HEAD = 34, FOOT = 22, SIDE = 34, MOST_ROUNDS = 24 };

struct squares {
    double size, cell; /* of a square without its words; of a rank */
    int per_row, count;
};

static struct squares make_squares(const struct picture *picture)
{
    struct squares s = {.count = (int)picture->rounds};
    if (s.count > MOST_ROUNDS)
        s.count = 1;
    s.per_row = picture->ranks <= 64 ? 3 : picture->ranks <= 128 ? 2 : 1;
    s.per_row = s.count < s.per_row ? s.count : s.per_row;
    s.size = fmin(560, (double)(SVG_PAGE - 2 * MARGIN) / fmax(s.per_row, 1) - SIDE - 8);
    s.cell = s.size / picture->ranks;
    return s;
}

static double left_of(const struct squares *s, int square)
{
    return MARGIN + SIDE + square % s->per_row * (s->size + SIDE + 8);
}

static double top_of(const struct squares *s, int square)
{
    return TOP + HEAD + square / s->per_row * (s->size + HEAD + FOOT);
}

/* Square `square` shows the messages that end in round `square` + 1, or all. */
static bool is_in(const struct picture_message *m, const struct squares *s, int square)
{
    return s->count == 1 || (int)m->end == square + 1;
}

static void draw_cells(const struct picture *picture, const struct squares *s, int square,
                       FILE *out)
{
    const double apart = s->cell > 8 ? 2 : 0; /* between large cells */
    double left = left_of(s, square) + apart / 2, top = top_of(s, square) + apart / 2;
    double cell = fmax(1, s->cell - apart);
    for (size_t i = 0; i < picture->count; i++) {
        const struct picture_message *m = &picture->messages[i];
        if (!is_in(m, s, square))
            continue;
        fprintf(out, "<path d=\"M%.1f %.1fh%.1fv%.1fh-%.1fz\" fill=\"#0072b2\"",
                left + s->cell * m->to, top + s->cell * m->from, cell, cell, cell);
        if (s->count == 1 && picture->rounds > 1)
            fprintf(out, " fill-opacity=\"%.2f\"", 0.25 + 0.75 * m->end / picture->rounds);
        fputs("/>\n", out);
    }
}

/* "round 3: 64 messages of 4"; without the number of elements if messages differ. */
static void name_square(const struct picture *picture, const struct squares *s, int square,
                        FILE *out)
{
    size_t count = 0, least = SIZE_MAX, most = 0;
    char text[128];
    for (size_t i = 0; i < picture->count; i++) {
        const struct picture_message *m = &picture->messages[i];
        if (!is_in(m, s, square))
            continue;
        count++;
        least = m->elements < least ? m->elements : least;
        most = m->elements > most ? m->elements : most;
    }
    int used = s->count == 1 && picture->rounds > 1
                   ? snprintf(text, sizeof text, "all rounds, stronger where late or often: ")
                   : snprintf(text, sizeof text, "round %d: ", square + 1);
    used += snprintf(text + used, sizeof text - (size_t)used, "%zu messages", count);
    if (count && least == most)
        snprintf(text + used, sizeof text - (size_t)used, " of %zu", most);
    else if (count)
        snprintf(text + used, sizeof text - (size_t)used, " of %zu to %zu", least, most);
    svg_text(out, left_of(s, square), top_of(s, square) - 6, "", text);
}

static void draw_frame(const struct picture *picture, const struct squares *s, int square,
                       FILE *out)
{
    double left = left_of(s, square), top = top_of(s, square), size = s->size;
    char last[16], turned[96];
    for (int r = 1; r < picture->ranks && s->cell > 8; r++) {
        svg_line(out, left + r * s->cell, top, left + r * s->cell, top + size, "#eee", 1);
        svg_line(out, left, top + r * s->cell, left + size, top + r * s->cell, "#eee", 1);
    }
    snprintf(last, sizeof last, "%d", picture->ranks - 1);
    svg_box(out, left, top, size, size, "none", "#bbb");
    svg_text(out, left, top + size + 13, "font-size=\"10\"", "0");
    svg_text(out, left + size / 2, top + size + 13, "font-size=\"10\" text-anchor=\"middle\"",
             "to");
    svg_text(out, left + size, top + size + 13, "font-size=\"10\" text-anchor=\"end\"", last);
    svg_text(out, left - 4, top + 9, "font-size=\"10\" text-anchor=\"end\"", "0");
    svg_text(out, left - 4, top + size, "font-size=\"10\" text-anchor=\"end\"", last);
    snprintf(turned, sizeof turned,
             "font-size=\"10\" text-anchor=\"middle\" transform=\"translate(%.1f %.1f) "
             "rotate(-90)\"",
             left - 8, top + size / 2);
    svg_text(out, 0, 0, turned, "from");
}

void picture_matrix(const struct picture *picture, const char *title, const char *note, FILE *out)
{
    struct squares s = make_squares(picture);
    svg_begin(out, SVG_PAGE, top_of(&s, s.count - 1) + s.size + FOOT + MARGIN, title);
    svg_heading(out, 16, 24, SVG_PAGE - 32, title);
    svg_text(out, 16, 42, "fill=\"" SVG_QUIET "\"", note);
    for (int square = 0; square < s.count; square++) {
        draw_frame(picture, &s, square, out);
        draw_cells(picture, &s, square, out);
        name_square(picture, &s, square, out);
    }
    svg_end(out);
}
