/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/plot/svg_axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/plot/svg.h"
#include "cli/plot/svg_style.h"

static void add_tick(struct svg_axis *axis, double value)
{
    if (axis->ticks < SVG_TICKS)
        axis->tick[axis->ticks++] = value;
}

/* About five multiples of 1, 2 or 5 times a power of ten. */
static void linear_ticks(struct svg_axis *axis)
{
    double raw = (axis->high - axis->low) / 5, decade = pow(10, floor(log10(raw)));
    double step = raw / decade < 1.5 ? decade : raw / decade < 3.5 ? 2 * decade : 5 * decade;
    for (double i = ceil(axis->low / step); i * step <= axis->high && axis->ticks < SVG_TICKS; i++)
        add_tick(axis, i * step + 0.0); /* no -0 */
}

/* 1, 2, 5 of each decade; over more than three decades only powers of ten. An axis as narrow as 21
 * to 45 or 12 to 45 would have at most one of these, so it gets linear ticks. */
static void log_ticks(struct svg_axis *axis)
{
    static const double steps[] = {1, 2, 5};
    int wide = log10(axis->high / axis->low) > 3;
    for (double decade = pow(10, floor(log10(axis->low))); decade <= axis->high; decade *= 10)
        for (int i = 0; i < (wide ? 1 : 3); i++) {
            double value = decade * steps[i];
            if (value >= axis->low && value <= axis->high)
                add_tick(axis, value);
        }
    if (axis->ticks >= 3)
        return;
    axis->ticks = 0;
    linear_ticks(axis);
}

struct svg_axis svg_axis(bool log, double low, double high, double from, double to)
{
    struct svg_axis axis = {.log = log, .low = low, .high = high, .from = from, .to = to};
    if (log) {
        double margin = high > low ? pow(high / low, 0.06) : 2;
        axis.low = low / margin;
        axis.high = high * margin;
        log_ticks(&axis);
        return axis;
    }
    double margin = high > low ? 0.06 * (high - low) : low != 0 ? fabs(low) / 2 : 1;
    axis.low = low - margin;
    axis.high = high + margin;
    linear_ticks(&axis);
    return axis;
}

/* Half of the width of a label, in pixels. */
static double half_label(const struct svg_axis *axis, double value)
{
    char text[32];
    svg_axis_text(axis, value, text, sizeof text);
    return 3.5 * (double)strlen(text);
}

/* Of labels that would overlap the earlier one stays. The last one always stays, because it shows
 * the points' extent. */
void svg_axis_ticks(struct svg_axis *axis, const double *values, int count)
{
    const double apart = 8; /* pixels */
    double end = -INFINITY;
    bool thousands = false;
    axis->ticks = 0;
    axis->binary = true;
    for (int i = 0; i < count; i++) {
        thousands = thousands || values[i] >= 1024;
        axis->binary = axis->binary && (values[i] < 1000 || fmod(values[i], 1024) <= 0);
    }
    axis->binary = axis->binary && thousands;
    for (int i = 0; i < count; i++) {
        double last = values[count - 1],
               last_begin = svg_axis_at(axis, last) - half_label(axis, last);
        double half = half_label(axis, values[i]), at = svg_axis_at(axis, values[i]);
        bool before_last = i == count - 1 || at + half + apart <= last_begin;
        if (at - half < end + apart || !before_last)
            continue;
        add_tick(axis, values[i]);
        end = at + half;
    }
}

double svg_axis_at(const struct svg_axis *axis, double value)
{
    double part = axis->log ? log(value / axis->low) / log(axis->high / axis->low)
                            : (value - axis->low) / (axis->high - axis->low);
    return axis->from + part * (axis->to - axis->from);
}

void svg_tick_text(double value, char *text, size_t room)
{
    double size = fabs(value);
    int power = size > 0 ? (int)floor(log10(size) + 1e-9) : 0;
    if (power < -3 || power >= 9) /* 1e-4: as short as 1e-5 beside it */
        snprintf(text, room, "%ge%d", value / pow(10, power), power);
    else if (size >= 1e6 && size < 1e9)
        snprintf(text, room, "%gM", value / 1e6);
    else if (size >= 1e4 && size < 1e6)
        snprintf(text, room, "%gk", value / 1e3);
    else
        snprintf(text, room, "%g", value);
    if (strlen(text) > 5 && size >= 1e4 && size < 1e9) /* 65536 rather than 65.536k */
        snprintf(text, room, "%.0f", value);
}

void svg_axis_text(const struct svg_axis *axis, double value, char *text, size_t room)
{
    if (!axis->binary || value < 1024)
        svg_tick_text(value, text, room);
    else if (value < 1 << 20)
        snprintf(text, room, "%g Ki", value / 1024);
    else if (value < 1 << 30)
        snprintf(text, room, "%g Mi", value / (1 << 20));
    else
        snprintf(text, room, "%g Gi", value / (1 << 30));
}

static void grid_line(FILE *out, double x1, double y1, double x2, double y2)
{
    fprintf(out,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"" SVG_GRID "\"/>\n", x1,
            y1, x2, y2);
}

void svg_axis_frame(FILE *out, const struct svg_axis *x, const struct svg_axis *y)
{
    char text[32];
    double end = -INFINITY; /* of the last label: labels that would overlap it are left out */
    for (int i = 0; i < x->ticks; i++) {
        double at = svg_axis_at(x, x->tick[i]);
        grid_line(out, at, y->from, at, y->to);
        svg_axis_text(x, x->tick[i], text, sizeof text);
        double half = half_label(x, x->tick[i]);
        if (at - half < end + 6)
            continue;
        end = at + half;
        svg_text(out, at, y->from + 16, "text-anchor=\"middle\"", text);
    }
    for (int i = 0; i < y->ticks; i++) {
        double at = svg_axis_at(y, y->tick[i]);
        grid_line(out, x->from, at, x->to, at);
        svg_axis_text(y, y->tick[i], text, sizeof text);
        svg_text(out, x->from - 6, at + 4, "text-anchor=\"end\"", text);
    }
    fprintf(out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
            "stroke=\"" SVG_INK "\"/>\n",
            x->from, y->to, x->to - x->from, y->from - y->to);
}
