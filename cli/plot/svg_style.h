/* SPDX-License-Identifier: BSD-3-Clause */
/* Styles of the lines of charts, and the colours of pictures on a dark page. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct svg_series;

/* Colours of methods, shapes of markers, and how often a method's colour looks different. */
enum { SVG_PALETTE = 30, SVG_MARKERS = 4, SVG_LOOKS = 12 };

#define SVG_INK "#222"
#define SVG_QUIET "#555" /* secondary text */
#define SVG_GRID "#e4e4e4"
#define SVG_GREY "#b4b4b4" /* a line among many */
#define SVG_PAPER "#fff"   /* the page: behind words that cross lines */

const char *svg_colour(const struct svg_series *series);
const char *svg_dashes_of(const struct svg_series *series); /* an attribute, or empty */
int svg_marker_of(const struct svg_series *series);         /* below SVG_MARKERS */
/* A circle, square, triangle or diamond of this size in pixels around its middle. */
void svg_marker(FILE *out, const struct svg_series *series, double x, double y, double size);
/* The style sheet of a picture. */
void svg_style_sheet(FILE *out);
/* One more, for the methods' colours of these lines. */
void svg_method_sheet(FILE *out, const struct svg_series *series, int count);
