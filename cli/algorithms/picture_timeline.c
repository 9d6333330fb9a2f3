/* SPDX-License-Identifier: BSD-3-Clause */
/* Space and time: one row per rank with its processor's work, arrows for messages, and the critical
 * path in red. A crowd is drawn as parts of time (crowd.h), with the path's arrows alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/need.h"
#include "cli/algorithms/crowd.h"
#include "cli/algorithms/picture.h"
#include "cli/output/text.h"
#include "cli/plot/svg.h"
#include "cli/plot/svg_axis.h"
#include "cli/plot/svg_shapes.h"
#include "cli/plot/svg_style.h"

enum { LEFT = 78, RIGHT = 24, TOP = 104, BOTTOM = 46, WIDTH = SVG_PAGE };

static const char *const fills[SUMMAND__SPAN_KINDS] = {
    [SUMMAND__SPAN_SEND] = "#f2b872",   [SUMMAND__SPAN_WIRE] = "#777",
    [SUMMAND__SPAN_RECV] = "#8cc6ee",   [SUMMAND__SPAN_REDUCE] = "#5fbf94",
    [SUMMAND__SPAN_COPY] = "#d9d9d9",   [SUMMAND__SPAN_PUT] = "#e58b5b",
    [SUMMAND__SPAN_NOTIFY] = "#b58bd0", [SUMMAND__SPAN_COMPUTE] = "#7c9fd6"};
#define CRITICAL "#c00000"

struct layout {
    int per_node;
    const int *node; /* by rank; NULL: in order */
    double unit;     /* seconds of the axis's unit */
    struct svg_axis time;
    double row, bottom;
    int ranks, rows;
    bool crowd, few; /* few: not all arrows are drawn */
};

enum { MOST_ARROWS = 500 };

static double y_of(const struct layout *layout, int rank)
{
    return TOP + layout->row * (rank / crowd_per_row(layout->ranks) + 0.5);
}

static double x_of(const struct layout *layout, double seconds)
{
    return svg_axis_at(&layout->time, seconds * layout->unit);
}

static int node_of(const struct layout *layout, int rank)
{
    return layout->node ? layout->node[rank] : rank / layout->per_node;
}

/* Puts every other node on a grey ground. */
static void draw_nodes(const struct layout *layout, FILE *out)
{
    for (int r = 0, last; r < layout->ranks; r = last) {
        int node = node_of(layout, r);
        for (last = r + 1; last < layout->ranks && node_of(layout, last) == node;)
            last++;
        if (node % 2 && layout->per_node > 1)
            svg_box(out, layout->time.from, TOP + layout->row * r,
                    layout->time.to - layout->time.from, layout->row * (last - r), "#f4f4f4",
                    "none");
    }
}

static void draw_ground(const struct layout *layout, FILE *out)
{
    char text[32];
    if (layout->rows == layout->ranks)
        draw_nodes(layout, out);
    for (int i = 0; i < layout->time.ticks; i++) {
        double x = svg_axis_at(&layout->time, layout->time.tick[i]);
        if (layout->time.tick[i] < 0)
            continue;
        svg_line(out, x, TOP, x, layout->bottom + 4, "#ddd", 1);
        svg_axis_text(&layout->time, layout->time.tick[i], text, sizeof text);
        svg_text(out, x, layout->bottom + 18, "text-anchor=\"middle\"", text);
    }
    svg_text(out, (layout->time.from + layout->time.to) / 2, layout->bottom + 36,
             "text-anchor=\"middle\"", svg_time_word(layout->unit));
    for (int r = 0; r < layout->rows; r++) {
        double y = TOP + layout->row * (r + 0.5),
               line = y + (layout->crowd ? 0.4 * layout->row : 0);
        crowd_name(layout->ranks, r, text, sizeof text);
        svg_text(out, LEFT - 8, y + 4, "text-anchor=\"end\"", text);
        svg_line(out, layout->time.from, line, layout->time.to, line, "#ccc", 0.8);
    }
}

/* Parts of one look are one path, as there are thousands of parts. The first one is preceded by
 * this. */
static const char path_begins[] = "<path d=\"";

/* How a message is drawn: dashes while it waits for its card, then an arrow. On the critical path,
 * red where the receiver waits for it; red dashes where the path waits for the card that it holds.
 */
enum wire_look { GREY_DASHES, RED_DASHES, ARROW, WIRE_LOOKS };

/* The parts of a message that have the look; false if there are none. */
static bool draw_wire(const struct layout *layout, const struct summand__predict *predict,
                      const struct summand__span *span, bool holds, enum wire_look look,
                      const char *before, FILE *out)
{
    double height = 0.62 * layout->row, x = x_of(layout, span->begin);
    double from = y_of(layout, span->rank), to = y_of(layout, span->peer);
    double edge = (to > from ? 0.5 : -0.5) * height, end = x_of(layout, span->end);
    double sent = x_of(layout, predict->spans[span->send].end);
    bool waits = x > sent + 0.5 && look == (span->critical && !holds ? RED_DASHES : GREY_DASHES);
    bool held = holds && look == RED_DASHES, arrow = !holds && look == ARROW;
    if (waits || held || arrow)
        fputs(before, out);
    if (waits)
        fprintf(out, "M%.1f %.1fH%.1f", sent, from + edge, x);
    if (held)
        fprintf(out, "M%.1f %.1fL%.1f %.1f", x, from + edge, end, to - edge);
    if (arrow)
        svg_arrow_outline(out, x, from + edge, end, to - edge, span->critical ? 2.2 : 0.9, 0);
    return waits || held || arrow;
}

static void draw_wires(const struct layout *layout, const struct summand__predict *predict,
                       const bool *holds, int critical, FILE *out)
{
    for (int look = 0; look < WIRE_LOOKS; look++) {
        const char *before = path_begins;
        for (size_t i = 0; i < predict->span_count; i++) {
            const struct summand__span *span = &predict->spans[i];
            if (span->critical == critical && span->kind == SUMMAND__SPAN_WIRE &&
                draw_wire(layout, predict, span, holds[i], (enum wire_look)look, before, out))
                before = "";
        }
        if (!*before && look == ARROW)
            fprintf(out, "\" fill=\"%s\"/>\n", critical ? CRITICAL : "#777");
        else if (!*before)
            fprintf(out, "\" fill=\"none\" stroke=\"%s\" stroke-dasharray=\"3 3\"/>\n",
                    look == RED_DASHES ? CRITICAL : "#777");
    }
}

/* A box has an outline if it is wide enough. On the critical path the outline is red; narrow boxes
 * have it above and below only. */
enum outline { NO_OUTLINE, THIN, RED, OUTLINES };

static const char *const outlines[OUTLINES] = {
    [NO_OUTLINE] = "",
    [THIN] = " stroke=\"" SVG_QUIET "\" stroke-width=\"0.5\"",
    [RED] = " stroke=\"" CRITICAL "\" stroke-width=\"1.8\""};

static enum outline outline_of(const struct layout *layout, const struct summand__span *span)
{
    enum { NARROW = 3, NARROW_FOR_RED = 7 };
    double width = x_of(layout, span->end) - x_of(layout, span->begin);
    return span->critical && width >= NARROW_FOR_RED ? RED : width < NARROW ? NO_OUTLINE : THIN;
}

/* Work of one kind with one outline; SUMMAND__SPAN_KINDS: the red lines above and below boxes. */
static bool draw_work(const struct layout *layout, const struct summand__span *span, int kind,
                      enum outline outline, const char *before, FILE *out)
{
    double x = x_of(layout, span->begin), end = x_of(layout, span->end);
    double height = 0.62 * layout->row, top = y_of(layout, span->rank) - height / 2;
    bool lines = kind == SUMMAND__SPAN_KINDS;
    if (span->kind == SUMMAND__SPAN_WIRE || span->end <= span->begin)
        return false;
    if (lines ? !span->critical || outline_of(layout, span) == RED
              : (int)span->kind != kind || outline_of(layout, span) != outline)
        return false;
    if (lines)
        fprintf(out, "%sM%.1f %.1fH%.1fM%.1f %.1fH%.1f", before, x, top, end, x, top + height, end);
    else
        fprintf(out, "%sM%.2f %.1fH%.2fv%.1fH%.2fz", before, x, top, end, height, x);
    return true;
}

static void draw_works(const struct layout *layout, const struct summand__predict *predict,
                       int critical, FILE *out)
{
    for (int look = 0; look <= SUMMAND__SPAN_KINDS * OUTLINES; look++) {
        const char *before = path_begins;
        int kind = look / OUTLINES;
        enum outline outline = kind == SUMMAND__SPAN_KINDS ? RED : (enum outline)(look % OUTLINES);
        for (size_t i = 0; i < predict->span_count; i++)
            if (predict->spans[i].critical == critical &&
                draw_work(layout, &predict->spans[i], kind, outline, before, out))
                before = "";
        if (!*before)
            fprintf(out, "\" fill=\"%s\"%s/>\n", kind == SUMMAND__SPAN_KINDS ? "none" : fills[kind],
                    outlines[outline]);
    }
}

/* Finds wires that are on the critical path only because another wire waits for their card. */
static bool *find_holders(const struct summand__predict *predict)
{
    bool *holds = need(calloc(predict->span_count + 1, sizeof *holds));
    for (uint32_t s = predict->last_span; s != SUMMAND__NO_SPAN;) {
        uint32_t cause = predict->spans[s].cause;
        if (cause != SUMMAND__NO_SPAN && predict->spans[s].kind == SUMMAND__SPAN_WIRE)
            holds[cause] = predict->spans[cause].kind == SUMMAND__SPAN_WIRE;
        s = cause;
    }
    return holds;
}

/* All work as parts of time; the critical path as a line. */
static void draw_crowd(const struct layout *layout, const struct summand__predict *predict,
                       FILE *out)
{
    struct crowd crowd;
    crowd_begin(&crowd, layout->ranks, SUMMAND__SPAN_KINDS, layout->unit, &layout->time);
    for (size_t i = 0; i < predict->span_count; i++)
        if (predict->spans[i].kind != SUMMAND__SPAN_WIRE)
            crowd_add(&crowd, predict->spans[i].rank, (int)predict->spans[i].kind,
                      predict->spans[i].begin, predict->spans[i].end);
    crowd_draw(&crowd, TOP, layout->row, fills, out);
    for (size_t i = 0; i < predict->span_count; i++) {
        const struct summand__span *span = &predict->spans[i];
        if (span->critical)
            svg_line(out, x_of(layout, span->begin), y_of(layout, span->rank),
                     x_of(layout, span->end),
                     y_of(layout, span->kind == SUMMAND__SPAN_WIRE ? span->peer : span->rank),
                     CRITICAL, 1.2);
    }
}

static void draw_spans(const struct layout *layout, const struct summand__predict *predict,
                       FILE *out)
{
    bool *holds = find_holders(predict);
    for (int critical = 0; critical < 2; critical++) {
        draw_works(layout, predict, critical, out);
        if (critical || !layout->few)
            draw_wires(layout, predict, holds, critical, out);
    }
    free(holds);
}

enum { LEGEND = 66, LEGEND_ROW = 20 };

/* Collectives share one legend; other schedules get a legend of the parts that occur. */
static void draw_legend(const struct layout *layout, const struct summand__predict *predict,
                        FILE *out)
{
    double x = LEFT, y = LEGEND;
    bool there[SUMMAND__SPAN_KINDS] = {[SUMMAND__SPAN_WIRE] = !layout->crowd}, collective = true;
    for (size_t i = 0; i < predict->span_count; i++) {
        there[predict->spans[i].kind] = true;
        collective = collective && predict->spans[i].kind <= SUMMAND__SPAN_COPY;
    }
    for (int kind = 0; collective && kind <= SUMMAND__SPAN_COPY; kind++)
        there[kind] = there[kind] || kind != SUMMAND__SPAN_WIRE;
    there[SUMMAND__SPAN_WIRE] = !layout->crowd;
    for (int kind = 0; kind < SUMMAND__SPAN_KINDS; kind++) {
        if (!there[kind])
            continue;
        if (kind == SUMMAND__SPAN_WIRE)
            svg_arrow(out, x, y + 5, x + 20, y - 5, "#777", 0.9, 0);
        else
            svg_box(out, x, y - 6, 20, 12, fills[kind], SVG_QUIET);
        svg_text(out, x + 26, y + 4, "",
                 kind == SUMMAND__SPAN_WIRE ? "message"
                                            : summand__span_name((enum summand__span_kind)kind));
        x += kind == SUMMAND__SPAN_WIRE ? 110 : 94;
    }
    x = LEFT;
    y += LEGEND_ROW;
    svg_line(out, x, y, x + 20, y, CRITICAL, 2.2);
    svg_text(out, x + 26, y + 4, "", "critical path");
    if (layout->crowd)
        return;
    svg_dashes(out, x + 130, y, x + 150, y, "#777");
    svg_text(out, x + 156, y + 4, "", "waits for a card");
    svg_dashes(out, x + 280, y, x + 300, y, CRITICAL);
    svg_text(out, x + 306, y + 4, "", "holds a card that the path waits for");
}

static void draw(const struct layout *layout, const struct summand__predict *predict,
                 const char *title, const char *note, FILE *out)
{
    char whole[500], crowd[160];
    bool nodes =
        layout->per_node > 1 && layout->per_node < layout->ranks && layout->rows == layout->ranks;
    crowd_note(layout->ranks, layout->crowd, &layout->time, layout->unit, crowd, sizeof crowd);
    snprintf(whole, sizeof whole, "%s, %s%s", title, note, crowd);
    svg_begin(out, WIDTH, layout->bottom + BOTTOM, whole);
    svg_heading(out, 16, 24, WIDTH - 32, title);
    snprintf(whole, sizeof whole, "%s%s%s%s", note,
             nodes ? "; nodes on grey and white by turns" : "",
             layout->few && !layout->crowd ? "; arrows of the critical path only" : "", crowd);
    svg_note(out, 16, 42, WIDTH - 32, whole);
    draw_legend(layout, predict, out);
    draw_ground(layout, out);
    if (layout->crowd)
        draw_crowd(layout, predict, out);
    else
        draw_spans(layout, predict, out);
    svg_end(out);
}

/* The end of the last message. It may be a credit for the next start, after all ranks have
 * ended. */
static double last_end(const struct summand__predict *predict)
{
    double last = predict->time;
    for (size_t i = 0; i < predict->span_count; i++)
        last = fmax(last, predict->spans[i].end);
    return last > 0 ? last : 1e-6;
}

/* Draws a prediction and frees it. */
static void draw_predicted(const struct comparison_setup *setup, struct summand__predict *predict,
                           const char *title, const char *note, FILE *out)
{
    struct layout layout = {
        .per_node = (int)setup->model.per_node, .node = setup->nodes.node, .ranks = predict->ranks};
    size_t wires = 0;
    for (size_t i = 0; i < predict->span_count; i++)
        wires += predict->spans[i].kind == SUMMAND__SPAN_WIRE;
    layout.rows = crowd_rows(layout.ranks);
    layout.row = layout.rows <= 16 ? 30 : layout.rows <= 32 ? 24 : 18;
    layout.bottom = TOP + layout.row * layout.rows;
    layout.unit = svg_time_unit(predict->time, NULL);
    layout.time =
        svg_axis(SVG_NUMBER, false, 0, last_end(predict) * layout.unit, LEFT, WIDTH - RIGHT);
    layout.crowd = crowd_is(predict->span_count - wires, layout.ranks, &layout.time);
    layout.few = wires > MOST_ARROWS;
    draw(&layout, predict, title, note, out);
    summand__predict_free(predict);
}

/* For schedules that compute. */
static void add_overlap(const struct hiding *hiding, char *note, size_t room)
{
    size_t used = strlen(note);
    if (isfinite(hiding->overlap))
        snprintf(note + used, room - used, "; overlap efficiency %.2f", hiding->overlap);
}

/* "1000 elements of 4 bytes"; "32 x 32 elements of 8 bytes" */
static void call_text(const struct comparison_setup *setup, char *text, size_t room)
{
    const long long count = setup->counts.value[0];
    const bool square = setup->collective == SUMMAND__COLL_GEMM;
    int used = square ? snprintf(text, room, "%lld x ", count) : 0;
    if (setup->collective == SUMMAND__COLL_OUTER)
        picture_count_text(setup, text, room);
    else
        snprintf(text + used, room - (size_t)used, "%lld element%s of %zu bytes", count,
                 text_plural(count), square ? sizeof(double) : setup->element);
}

bool picture_timeline(const struct comparison_setup *setup,
                      const struct summand__algorithm *algorithm, FILE *out, struct hiding *hiding,
                      char fault[256])
{
    struct summand__predict predict = {.trace = true};
    char title[192], note[256], call[128], time[32];
    if (!comparison_predict(setup, algorithm, setup->fixed, (int)setup->ranks.value[0],
                            (size_t)setup->counts.value[0], &predict)) {
        snprintf(fault, 256, "%s",
                 predict.fault[0] ? predict.fault : "the algorithm does not do this call");
        return false;
    }
    picture_title(setup, algorithm, title, sizeof title);
    call_text(setup, call, sizeof call);
    svg_time_text(predict.time, time, sizeof time);
    snprintf(note, sizeof note, "%s: %s on %s", call, time, setup->model_name);
    *hiding = hiding_predicted(setup, algorithm, &predict);
    add_overlap(hiding, note, sizeof note);
    draw_predicted(setup, &predict, title, note, out);
    return true;
}

bool picture_sample(const struct comparison_setup *setup, const struct summand__sample *sample,
                    FILE *out, char fault[256])
{
    struct summand__predict predict = {.trace = true, .model = &setup->model};
    struct summand__sample_size size = sample->usual;
    char title[192], note[160], time[32];
    size.ranks = (int)setup->ranks.value[0];
    if (!summand__sample_predict(sample, &size, &predict)) {
        snprintf(fault, 256, "%s", predict.fault);
        return false;
    }
    snprintf(title, sizeof title, "%s, %d rank%s", sample->name, size.ranks,
             text_plural(size.ranks));
    svg_time_text(predict.time, time, sizeof time);
    snprintf(note, sizeof note, "%s: %s on %s", sample->description, time, setup->model_name);
    draw_predicted(setup, &predict, title, note, out);
    return true;
}
