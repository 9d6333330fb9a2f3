/* SPDX-License-Identifier: BSD-3-Clause */
/* Styles of the lines of charts, and the colours of pictures on a dark page. */
#ifndef SUMMAND_CLI_PLOT_SVG_STYLE_H
#define SUMMAND_CLI_PLOT_SVG_STYLE_H

#include <stdbool.h>
#include <stdio.h>

struct svg_series;

#define SVG_INK "#222"
#define SVG_QUIET "#555" /* secondary text */
#define SVG_GRID "#e4e4e4"
#define SVG_GREY "#b4b4b4" /* a line among many */
#define SVG_PAPER "#fff"   /* the page: behind words that cross lines */

const char *svg_colour(const struct svg_series *series);
const char *svg_dashes_of(const struct svg_series *series); /* an attribute, or empty */
/* A circle, square, triangle or diamond of this size in pixels around its middle. */
void svg_marker(FILE *out, const struct svg_series *series, double x, double y, double size);
/* The style sheet of a picture. */
void svg_style_sheet(FILE *out);

#endif
