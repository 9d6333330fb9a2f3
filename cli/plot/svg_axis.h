/* SPDX-License-Identifier: BSD-3-Clause */
/* One axis of a chart: maps values to pixels, and places ticks. */
#ifndef SUMMAND_CLI_PLOT_SVG_AXIS_H
#define SUMMAND_CLI_PLOT_SVG_AXIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { SVG_TICKS = 24 };

struct svg_axis {
    bool log;
    double low, high; /* range of values shown */
    double from, to;  /* the same in pixels */
    int ticks;
    double tick[SVG_TICKS];
    bool binary; /* ticks are shown in units of 1024 */
};

/* An axis that shows low .. high; with `log`, all values must be above 0. */
struct svg_axis svg_axis(bool log, double low, double high, double from, double to);
/* Places ticks at these values, in order, except those whose text would touch an earlier one's or
 * the last one's. */
void svg_axis_ticks(struct svg_axis *axis, const double *values, int count);
double svg_axis_at(const struct svg_axis *axis, double value);
/* "500", "20k", "1M", "2e-08" */
void svg_tick_text(double value, char *text, size_t room);
/* The same, or "4 Ki" on an axis of multiples of 1024. */
void svg_axis_text(const struct svg_axis *axis, double value, char *text, size_t room);
/* Draws ticks with their texts, the grid's lines, and the frame. */
void svg_axis_frame(FILE *out, const struct svg_axis *x, const struct svg_axis *y);

#endif
