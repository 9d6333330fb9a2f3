/* SPDX-License-Identifier: BSD-3-Clause */
/* Charts as SVG: linear or logarithmic axes, lines with intervals as bars or bands, a legend or
 * labels at the lines. They have no background, and their colours follow the reader's light or dark
 * scheme. Lines differ by colour, dashes and marker. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Writes text on one line, without characters that XML and HTML forbid (text.h). */
void svg_escaped(FILE *out, const char *text);

/* The usual width of pages: wider pictures are scaled down. */
enum { SVG_PAGE = 800 };

struct svg_point {
    double x, y, low, high; /* low == high: no interval */
};

/* What is drawn of a series. Rings have no name beside them: they lie on or near a line of the same
 * look. */
enum svg_parts { SVG_LINE_AND_MARKS, SVG_LINE, SVG_RINGS };

struct svg_series {
    const char *name;
    int style; /* of svg_look, or any number below SVG_METHODS; or SVG_GREY_LINE */
    int points;
    const struct svg_point *point;
    enum svg_parts parts;
};

/* More coloured lines cannot be told apart. Grey ones are thin and below the others. */
enum { SVG_COLOURED = 8, SVG_METHODS = SVG_COLOURED, SVG_GREY_LINE = -1 };

/* What an axis shows: numbers, bytes, or seconds. */
enum svg_unit { SVG_NUMBER, SVG_SIZE, SVG_TIME };

struct svg_chart {
    const char *title, *x_label, *y_label;
    enum svg_unit x_unit, y_unit;
    bool log_x, log_y;
    bool beside; /* series are shifted by some pixels, so bars at one x do not coincide */
    bool bands;  /* intervals are bands below the lines, not bars */
    int count;
    struct svg_series *series;
    double left, top, width, height; /* with labels, in pixels */
    bool labels;                     /* names at the ends of the lines instead of a legend */
};

/* title: screen readers read it too. */
void svg_begin(FILE *out, double width, double height, const char *title);
/* True if all points have one x: then there are bars in place of curves of one point. */
bool svg_is_bars(const struct svg_chart *chart);
/* Ticks along x are at the points if these are few. If lines coincide, lower ones are wider, so
 * each stays visible. */
void svg_chart(FILE *out, const struct svg_chart *chart);
/* Gives all series that are not grey their styles, by their names. A method has one colour in all
 * pictures (svg_methods.c); several lines of one method differ in dashes and marker. Names that are
 * no methods get styles in their order. */
void svg_look(struct svg_series *series, int count);
/* Makes all series grey except the `keep` first ones and those nearest to the least (or greatest)
 * value at some x, SVG_COLOURED in all; gives the coloured ones their styles. Bars, which have
 * their names beside them, are all coloured. */
void svg_choose(struct svg_series *series, int count, int keep, bool greatest);
/* "Grey: a, b, c" in rows of `width` pixels, if there are any. Returns their height; out may be
 * NULL. */
double svg_grey_names(FILE *out, const struct svg_series *series, int count, double left,
                      double top, double width);

/* One row of names with their lines. */
void svg_legend(FILE *out, const struct svg_series *series, int count, double left, double top);
/* The same in as many rows as `width` needs; returns their height. out may be NULL. */
double svg_legend_rows(FILE *out, const struct svg_series *series, int count, double left,
                       double top, double width);
void svg_text(FILE *out, double x, double y, const char *attributes, const char *text);
/* A bold line that fits `width`, at most 15 pixels high; x, y: left end of its base line. */
void svg_heading(FILE *out, double x, double y, double width, const char *text);
/* A line of quieter text that fits `width`. */
void svg_note(FILE *out, double x, double y, double width, const char *text);
/* Approximate width of a text in pixels. */
double svg_text_width(const char *text, double size);
/* The tooltip of a group or line; screen readers read it too. */
void svg_title(FILE *out, const char *text);
void svg_end(FILE *out);
