/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes of diagrams, besides those of charts. */
#pragma once

#include <stdio.h>

void svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *colour,
              double width);
/* A line with a head, which ends `short_of` pixels before the end point. */
void svg_arrow(FILE *out, double x1, double y1, double x2, double y2, const char *colour,
               double width, double short_of);
/* The same as a part of a path that is filled. */
void svg_arrow_outline(FILE *out, double x1, double y1, double x2, double y2, double width,
                       double short_of);
/* The same as thin dashes without a head. */
void svg_dashes(FILE *out, double x1, double y1, double x2, double y2, const char *colour);
void svg_box(FILE *out, double x, double y, double width, double height, const char *fill,
             const char *stroke);
/* A circle with a number in its middle. */
void svg_node(FILE *out, double x, double y, double radius, const char *fill, int number);
/* A text with an outline in the page's colour, readable above lines; x, y: middle of its base
 * line. */
void svg_label(FILE *out, double x, double y, double size, const char *text);

/* A line with horizontal ends. */
void svg_curve(FILE *out, double x1, double y1, double x2, double y2, const char *colour,
               double width);
