/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/report/plots.h"

#include <math.h>
#include <string.h>

#include "cli/output/text.h"
#include "cli/plot/svg.h"
#include "cli/plot/svg_axis.h"
#include "cli/plot/svg_shapes.h"
#include "cli/plot/svg_style.h"

static void begin(FILE *out, double width, double height, const char *title)
{
    fprintf(out,
            "<svg role=\"img\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" "
            "font-size=\"12\" fill=\"" SVG_INK "\">\n",
            width, height);
    svg_title(out, title);
}

static void bar(FILE *out, double x, double y, double width, double height, const char *colour,
                const char *title)
{
    fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\">", x, y,
            fmax(width, 0), fmax(height, 0), colour);
    svg_title(out, title);
    fputs("</rect>\n", out);
}

static const char quiet[] = "fill=\"" SVG_QUIET "\" font-size=\"11\"";

/* Where the parts of a row of plot_calls are. */
struct place {
    double bar, length; /* left end and greatest length of bars */
    double row;         /* height of a row */
    bool narrow;        /* the words stand above the bar */
};

/* The line that the algorithm would be in a chart. */
static struct svg_series series_of(const struct report_row *row)
{
    struct svg_series series = {.name = row->algorithm[0] ? row->algorithm
                                        : row->reason[0]  ? "mpi"
                                                          : "auto"};
    svg_look(&series, 1);
    return series;
}

void plot_class(const struct report_row *row, char *text, size_t room)
{
    char least[32], most[32];
    svg_size_text((double)row->least, least, sizeof least);
    svg_size_text((double)row->most + 1, most, sizeof most);
    if (row->least == row->most)
        snprintf(text, room, "%s", least);
    else
        snprintf(text, room, "%s to %s", least, most);
}

static void plot_row(const struct report_row *row, double y, double longest,
                     const struct place *place, FILE *out)
{
    char class[64], name[160], way[128], value[32], title[400], waited_text[32];
    const double waited = report_waiting(row), length = place->length * row->seconds / longest;
    const double first = waited > 0 ? length * waited / row->seconds : 0;
    const double top = place->narrow ? y + 20 : y + 5;
    plot_class(row, class, sizeof class);
    report_way(row, way, sizeof way);
    snprintf(name, sizeof name, "%.40s, %s B", row->call + 4, class);
    svg_time_text(row->seconds, value, sizeof value);
    svg_time_text(fmax(waited, 0), waited_text, sizeof waited_text);
    snprintf(title, sizeof title, "%s: %lld calls, %s; waiting: %s; %s", name, row->calls, value,
             waited < 0 ? "not sampled" : waited_text, way);
    if (place->narrow) {
        enum { LINE = 54 };
        char fitted[LINE], line[300];
        const size_t used = strlen(name) + 2;
        text_fit(fitted, used + 12 < LINE ? LINE - used : 12, way);
        snprintf(line, sizeof line, "%s: %s", name, fitted);
        svg_text(out, 0, y + 13, "font-size=\"12\"", line);
    } else {
        svg_text(out, 0, y + 13, "", name);
        char line[40];
        text_fit(line, sizeof line, way);
        svg_text(out, 0, y + 27, quiet, line);
    }
    bar(out, place->bar, top, first, 18, WAITING_COLOUR, title);
    const struct svg_series series = series_of(row);
    bar(out, place->bar + first, top, fmax(length - first, 0.5), 18, svg_colour(&series), title);
    svg_text(out, place->bar + fmax(length, 0.5) + 6, top + 13, "", value);
}

void plot_calls(const struct report *report, double width, FILE *out)
{
    enum { SHOWN = 16, VALUE = 70, WORDS = 250 };
    const bool narrow = width < PLOT_WIDE;
    const struct place place = {narrow ? 0 : WORDS, width - (narrow ? 0 : WORDS) - VALUE,
                                narrow ? 44 : 36, narrow};
    const int rows = report->rows < SHOWN ? report->rows : SHOWN;
    const double longest = rows && report->row[0].seconds > 0 ? report->row[0].seconds : 1;
    begin(out, width, rows * place.row + 4, "Time by call and size");
    for (int i = 0; i < rows; i++) {
        const struct svg_series series = series_of(&report->row[i]);
        svg_method_sheet(out, &series, 1);
        plot_row(&report->row[i], i * place.row, longest, &place, out);
    }
    svg_end(out);
}

/* RIGHT has half of the last label of an axis. */
enum { LEFT = 46, RIGHT = 20, TOP = 8, BOTTOM = 40, HEIGHT = 240 };

static void labels(FILE *out, double width, const char *x, const char *y)
{
    svg_text(out, (LEFT + width - RIGHT) / 2, HEIGHT - 4, "text-anchor=\"middle\"", x);
    fprintf(out, "<g transform=\"translate(11 %d) rotate(-90)\">", (TOP + HEIGHT - BOTTOM) / 2);
    svg_text(out, 0, 0, "text-anchor=\"middle\"", y);
    fputs("</g>\n", out);
}

/* Of more ranks than pixels allow, neighbours share a bar: the mean, with the range as a line. */
static void plot_group(const struct report *report, int first, int count, double x, double width,
                       const struct svg_axis *y, double unit, FILE *out)
{
    double sum = 0, least = INFINITY, most = 0;
    char title[128], value[32];
    for (int i = first; i < first + count; i++) {
        double inside = report->rank[i].inside;
        sum += inside;
        least = fmin(least, inside);
        most = fmax(most, inside);
    }
    svg_time_text(sum / count, value, sizeof value);
    if (count == 1)
        snprintf(title, sizeof title, "rank %d: %s", first, value);
    else
        snprintf(title, sizeof title, "ranks %d to %d: %s, the mean", first, first + count - 1,
                 value);
    double top = svg_axis_at(y, unit * sum / count);
    bar(out, x, top, width, y->from - top, MOVING_COLOUR, title);
    if (count > 1)
        svg_line(out, x + width / 2, svg_axis_at(y, unit * least), x + width / 2,
                 svg_axis_at(y, unit * most), SVG_INK, 1);
}

/* 1, 2, 5, 10, ...: at most 12 ticks. */
static int tick_step(int ranks)
{
    int step = 1;
    for (int i = 0; ranks / step >= SVG_TICKS / 2; i++)
        step = i % 3 == 1 ? step / 2 * 5 : 2 * step;
    return step;
}

void plot_ranks(const struct report *report, double width, FILE *out)
{
    double most = 0;
    const char *unit;
    const int room = (int)((width - LEFT - RIGHT) / 6);
    const int group = (report->ranks + room - 1) / room;
    const int bars = (report->ranks + group - 1) / group;
    for (int i = 0; i < report->ranks; i++)
        most = fmax(most, report->rank[i].inside);
    const double scale = svg_time_unit(most, &unit);
    struct svg_axis x = svg_axis_exact(SVG_NUMBER, -0.5, report->ranks - 0.5, LEFT, width - RIGHT);
    struct svg_axis y =
        svg_axis_exact(SVG_NUMBER, 0, most > 0 ? 1.05 * scale * most : 1, HEIGHT - BOTTOM, TOP);
    double ticks[SVG_TICKS];
    int count = 0;
    const int step = tick_step(report->ranks);
    for (int i = 0; i < report->ranks && count < SVG_TICKS; i += step)
        ticks[count++] = i;
    svg_axis_ticks(&x, ticks, count);
    x.digits = SVG_PLAIN;
    begin(out, width, HEIGHT, "Time in calls by rank");
    svg_axis_frame(out, &x, &y);
    const double slot = (width - LEFT - RIGHT) / report->ranks;
    for (int i = 0; i < bars; i++) {
        int first = i * group, last = first + group < report->ranks ? first + group : report->ranks;
        double wide = slot * (last - first), gap = fmin(4, 0.2 * wide);
        double thick = fmin(wide - gap, 60);
        plot_group(report, first, last - first, LEFT + slot * first + (wide - thick) / 2, thick, &y,
                   scale, out);
    }
    char label[32];
    snprintf(label, sizeof label, "in calls / %s", unit);
    labels(out, width, "rank", label);
    svg_end(out);
}

/* A line of steps, closed at the bottom if it is an area. */
static void steps(const double *bins, int count, double width, const struct svg_axis *x,
                  const struct svg_axis *y, bool area, FILE *out)
{
    fprintf(out, "<path d=\"M%.1f %.1f", x->from, area ? y->from : svg_axis_at(y, 100 * bins[0]));
    for (int i = 0; i < count; i++) {
        double at = svg_axis_at(y, fmin(100, 100 * bins[i]));
        double end = fmin(svg_axis_at(x, width * (i + 1)), x->to);
        fprintf(out, "L%.1f %.1fL%.1f %.1f", svg_axis_at(x, width * i), at, end, at);
    }
    if (area)
        fprintf(out, "L%.1f %.1fZ\" fill=\"" MOVING_COLOUR "\"/>\n", x->to, y->from);
    else
        fputs("\" fill=\"none\" stroke=\"" MOST_COLOUR "\" stroke-width=\"1.5\"/>\n", out);
}

void plot_time(const struct report *report, double width, FILE *out)
{
    const char *unit;
    const double seconds = report->seconds > 0 ? report->seconds : 1;
    const double scale = svg_time_unit(seconds, &unit);
    struct svg_axis x = svg_axis_exact(SVG_NUMBER, 0, scale * seconds, LEFT, width - RIGHT);
    struct svg_axis y = svg_axis_exact(SVG_NUMBER, 0, 102, HEIGHT - BOTTOM, TOP);
    char label[32];
    begin(out, width, HEIGHT, "Part of the time in calls over the run");
    svg_axis_frame(out, &x, &y);
    steps(report->mean, report->bins, scale * report->width, &x, &y, true, out);
    steps(report->most, report->bins, scale * report->width, &x, &y, false, out);
    snprintf(label, sizeof label, "since MPI_Init / %s", unit);
    labels(out, width, label, "in calls / %");
    svg_end(out);
}
