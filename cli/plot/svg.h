/* SPDX-License-Identifier: BSD-3-Clause */
/* Charts as SVG: axes, linear or logarithmic, lines with interval bars, a legend or labels at the
 * lines. They take the page's ground, light or dark: no ground of their own, and colours that
 * change with the reader's colour scheme. Lines differ by colour, dashes and marker. */
#ifndef SUMMAND_CLI_PLOT_SVG_H
#define SUMMAND_CLI_PLOT_SVG_H

#include <stdbool.h>
#include <stdio.h>

/* Pages are about so wide: what is wider is read at a smaller size. */
enum { SVG_PAGE = 800 };

struct svg_point {
    double x, y, low, high; /* low == high: no bar */
};

struct svg_series {
    const char *name;
    int style; /* any number >= 0, which looks the same in every chart; or SVG_GREY_LINE */
    int points;
    const struct svg_point *point;
};

/* More lines in colour cannot be told apart. Grey ones are thin and below the others. */
enum { SVG_COLOURED = 8, SVG_GREY_LINE = -1 };

struct svg_chart {
    const char *title, *x_label, *y_label;
    bool log_x, log_y;
    bool beside; /* series are shifted by some pixels, so that bars at one x do not coincide */
    int count;
    const struct svg_series *series;
    double left, top, width, height; /* with labels, in pixels */
    bool labels;                     /* names at the ends of the lines, which then need no legend */
};

/* title: also what a screen reader says. */
void svg_begin(FILE *out, double width, double height, const char *title);
/* Ticks along x are where points are, if these are few. Of lines that coincide, those below are
 * wider, so that each can be seen. */
void svg_chart(FILE *out, const struct svg_chart *chart);
/* Makes all series grey but the `keep` first ones and those that come nearest to the least (or
 * greatest) value at some x, SVG_COLOURED in all; gives these the first styles. */
void svg_choose(struct svg_series *series, int count, int keep, bool greatest);
/* "Grey: a, b, c" in rows of `width` pixels, where some are. Returns the height that it takes;
 * out may be NULL. */
double svg_grey_names(FILE *out, const struct svg_series *series, int count, double left,
                      double top, double width);

/* One row of names with their lines. */
void svg_legend(FILE *out, const struct svg_series *series, int count, double left, double top);
/* The same in as many rows as it takes within `width`; returns their height. out may be NULL. */
double svg_legend_rows(FILE *out, const struct svg_series *series, int count, double left,
                       double top, double width);
/* A line's end as it is drawn: for legends. */
void svg_sample(FILE *out, const struct svg_series *series, double x, double y, double width);
void svg_text(FILE *out, double x, double y, const char *attributes, const char *text);
/* A bold line, as large as fits into `width`, up to 15 pixels; left end of its base line. */
void svg_heading(FILE *out, double x, double y, double width, const char *text);
/* Pixels that a text takes, about. */
double svg_text_width(const char *text, double size);
/* What is shown of a group or line that is pointed at; also for screen readers. */
void svg_title(FILE *out, const char *text);
void svg_end(FILE *out);

#endif
