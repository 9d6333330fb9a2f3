/* SPDX-License-Identifier: BSD-3-Clause */
/* One axis of a chart: maps values to pixels, and places ticks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/plot/svg.h"

enum { SVG_TICKS = 24 };

/* How all ticks of an axis are written, so that none is of another kind than its neighbours. */
enum svg_digits {
    SVG_PLAIN,     /* 1602, 65536, 0.25 */
    SVG_THOUSANDS, /* 1k, 10k, 2M */
    SVG_BINARY,    /* 4 Ki, 2 Mi */
    SVG_POWERS     /* 1e-14, 1e-1, 1, 1e9 */
};

struct svg_axis {
    bool log;
    enum svg_unit unit;
    double low, high; /* range of values shown */
    double from, to;  /* the same in pixels */
    int ticks;
    double tick[SVG_TICKS];
    enum svg_digits digits; /* of numbers */
};

/* An axis that shows low .. high; with `log`, all values must be above 0. */
struct svg_axis svg_axis(enum svg_unit unit, bool log, double low, double high, double from,
                         double to);
/* One that begins and ends at these values: bars and areas stand on its end. */
struct svg_axis svg_axis_exact(enum svg_unit unit, double low, double high, double from, double to);
/* Places ticks at these values, in order, except those whose text would touch an earlier one's or
 * the last one's. */
void svg_axis_ticks(struct svg_axis *axis, const double *values, int count);
double svg_axis_at(const struct svg_axis *axis, double value);
/* The text of a tick. Times have a unit: of a linear axis all have that of its end. */
void svg_axis_text(const struct svg_axis *axis, double value, char *text, size_t room);
/* "64 Ki": a number of bytes, to three digits. */
void svg_size_text(double bytes, char *text, size_t room);
/* "20 us": to three digits. */
void svg_time_text(double seconds, char *text, size_t room);
/* How many of the unit that such a time is told in make a second; `name` may be NULL. */
double svg_time_unit(double seconds, const char **name);
/* "microseconds", by that number. */
const char *svg_time_word(double unit);
/* Draws ticks with their texts, the grid's lines, and the frame. */
void svg_axis_frame(FILE *out, const struct svg_axis *x, const struct svg_axis *y);
