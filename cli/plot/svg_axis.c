/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/plot/svg_axis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Powers of two, at most eight. */
static void size_ticks(struct svg_axis *axis)
{
    double factor = 2;
    while (log(axis->high / axis->low) > 8 * log(factor))
        factor *= 2;
    for (double value = 1; value <= axis->high; value *= factor)
        if (value >= axis->low)
            add_tick(axis, value);
}

/* 1, 2, 5 of each decade; over more than three decades only powers of ten. An axis as narrow as 21
 * to 45 or 12 to 45 would have at most one of these, so it gets linear ticks. */
static void log_ticks(struct svg_axis *axis)
{
    static const double steps[] = {1, 2, 5};
    int wide = log10(axis->high / axis->low) > 3;
    if (axis->unit == SVG_SIZE)
        size_ticks(axis);
    else
        for (int power = (int)floor(log10(axis->low)); power <= log10(axis->high); power++)
            for (int i = 0; i < (wide ? 1 : 3); i++) {
                double value = pow(10, power) * steps[i];
                if (value >= axis->low && value <= axis->high)
                    add_tick(axis, value);
            }
    if (axis->ticks >= 3)
        return;
    axis->ticks = 0;
    linear_ticks(axis);
}

/* Three digits hold it. */
static bool is_short(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.3g", value);
    return !(strtod(text, NULL) < value) && !(strtod(text, NULL) > value);
}

static bool is_power(double value, double low, double high)
{
    return value > 0 && (value < low || value >= high);
}

/* Finds the one form that suits all values. */
static enum svg_digits digits_of(const double *values, int count)
{
    bool binary = true, round = true, kibi = false, many = false, wide = false;
    for (int i = 0; i < count; i++) {
        const double value = fabs(values[i]);
        kibi = kibi || value >= 1024;
        binary = binary && (value < 1000 || fmod(value, 1024) <= 0);
        many = many || value >= 1e4;
        round = round && (value < 1000 || is_short(value));
        wide = wide || is_power(value, 0.99e-3, 1e9);
    }
    return wide             ? SVG_POWERS
           : binary && kibi ? SVG_BINARY
           : round && many  ? SVG_THOUSANDS
                            : SVG_PLAIN;
}

struct svg_axis svg_axis(enum svg_unit unit, bool log, double low, double high, double from,
                         double to)
{
    struct svg_axis axis = {
        .log = log, .unit = unit, .low = low, .high = high, .from = from, .to = to};
    if (log) {
        if (!(low > 0)) /* a logarithm has no place for it: it lies on the edge */
            axis.low = low = high > 0 ? high / 1000 : 1;
        high = high > low ? high : low;
        double margin = high > low ? pow(high / low, 0.06) : 2;
        axis.low = low / margin;
        axis.high = high * margin;
        log_ticks(&axis);
    } else {
        double margin = high > low ? 0.06 * (high - low) : low != 0 ? fabs(low) / 2 : 1;
        axis.low = low - margin;
        axis.high = high + margin;
        linear_ticks(&axis);
    }
    axis.digits = digits_of(axis.tick, axis.ticks);
    return axis;
}

struct svg_axis svg_axis_exact(enum svg_unit unit, double low, double high, double from, double to)
{
    struct svg_axis axis = svg_axis(unit, false, low, high, from, to);
    int kept = 0;
    for (int i = 0; i < axis.ticks; i++)
        if (axis.tick[i] >= low && axis.tick[i] <= high)
            axis.tick[kept++] = axis.tick[i];
    axis.ticks = kept;
    axis.low = low;
    axis.high = high;
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
    axis->ticks = 0;
    axis->digits = digits_of(values, count);
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
    const double most = value > axis->low ? value : axis->low;
    double part = axis->log ? log(most / axis->low) / log(axis->high / axis->low)
                            : (value - axis->low) / (axis->high - axis->low);
    return axis->from + part * (axis->to - axis->from);
}

/* The value in the largest of the units that it reaches, to three digits. */
static void scaled_text(double value, double base, const char *const *units, int count, char *text,
                        size_t room)
{
    int unit = 0;
    for (; unit + 1 < count && fabs(value) >= 0.9999 * base; unit++)
        value /= base;
    snprintf(text, room, "%.*g%s", fabs(value) >= 1000 ? 4 : 3, value, units[unit]);
}

static const char *const thousands[] = {"", "k", "M", "G"}, *const kibis[] = {"", " Ki", " Mi",
                                                                              " Gi", " Ti"};

void svg_size_text(double bytes, char *text, size_t room)
{
    scaled_text(bytes, 1024, kibis, 5, text, room);
}

double svg_time_unit(double seconds, const char **name)
{
    static const char *const names[] = {"s", "ms", "us", "ns"};
    double unit = 1;
    int i = 0;
    for (; i < 3 && fabs(seconds) * unit < 0.9999; i++)
        unit *= 1000;
    if (name)
        *name = names[i];
    return unit;
}

const char *svg_time_word(double unit)
{
    return unit > 1e7   ? "nanoseconds"
           : unit > 1e4 ? "microseconds"
           : unit > 1e1 ? "milliseconds"
                        : "seconds";
}

static void time_text(double seconds, double of, char *text, size_t room)
{
    const char *name;
    const double unit = svg_time_unit(of, &name);
    snprintf(text, room, "%.*g %s", fabs(seconds * unit) >= 1000 ? 4 : 3, seconds * unit, name);
}

void svg_time_text(double seconds, char *text, size_t room)
{
    time_text(seconds, seconds, text, room);
}

static void number_text(enum svg_digits digits, double value, char *text, size_t room)
{
    int power = value != 0 ? (int)floor(log10(fabs(value)) + 1e-9) : 0;
    if (digits == SVG_POWERS && power)
        snprintf(text, room, "%ge%d", value / pow(10, power), power);
    else if (digits == SVG_BINARY)
        scaled_text(value, 1024, kibis, 5, text, room);
    else if (digits == SVG_THOUSANDS)
        scaled_text(value, 1000, thousands, 4, text, room);
    else
        snprintf(text, room, "%.10g", value);
}

void svg_axis_text(const struct svg_axis *axis, double value, char *text, size_t room)
{
    if (axis->unit == SVG_TIME)
        time_text(value, axis->log ? value : fmax(fabs(axis->high), fabs(axis->low)) / 1.06, text,
                  room);
    else
        number_text(axis->digits, value, text, room);
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
