/* Charts as SVG: axes, linear or logarithmic, lines with interval bars, a legend. Readable on a
 * screen and on paper: white ground; lines differ by colour, dashes and marker. */
#ifndef SUMMAND_CLI_SVG_H
#define SUMMAND_CLI_SVG_H

#include <stdbool.h>
#include <stdio.h>

struct svg_point {
    double x, y, low, high; /* low == high: no bar */
};

struct svg_series {
    const char *name;
    int style; /* any number >= 0; the same number looks the same in every chart */
    int points;
    const struct svg_point *point;
};

struct svg_chart {
    const char *title, *x_label, *y_label;
    bool log_x, log_y;
    bool beside; /* series are shifted by some pixels, so that bars at one x do not coincide */
    int count;
    const struct svg_series *series;
    double left, top, width, height; /* with labels, in pixels */
};

void svg_begin(FILE *out, double width, double height, const char *title);
void svg_chart(FILE *out, const struct svg_chart *chart);
/* How wide one name with its line is. */
double svg_legend_width(const struct svg_series *series);
/* One row of names with their lines. */
void svg_legend(FILE *out, const struct svg_series *series, int count, double left, double top);
void svg_text(FILE *out, double x, double y, const char *attributes, const char *text);
void svg_end(FILE *out);

#endif
