/* SPDX-License-Identifier: BSD-3-Clause */
/* Violins: all values of several series side by side, as Hintze and Nelson draw them (1998, "Violin
 * plots"): the estimated density to both sides, the median as a marker, the 5th and 95th
 * percentiles as lines. */
#pragma once

#include <stdio.h>

#include "cli/plot/svg.h"

struct svg_violin {
    struct svg_series look; /* name and style */
    int count, dots;
    const double *value; /* above 0, ascending */
    const double *dot;   /* shown beside the middle */
};

struct svg_violins {
    const char *title, *y_label;
    enum svg_unit y_unit;
    int count;
    const struct svg_violin *violin;
    double left, top, width, height; /* with labels, in pixels */
};

/* The y axis and the kernel's width are logarithmic. With fewer than 6 values, a series is drawn as
 * dots without a density. */
void svg_violins(FILE *out, const struct svg_violins *chart);
