/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/plot/svg_shapes.h"

#include "cli/plot/svg.h"
#include "cli/plot/svg_style.h"
#include <math.h>

void svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *colour,
              double width)
{
    fprintf(out,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
            "stroke-width=\"%.1f\"/>\n",
            x1, y1, x2, y2, colour, width);
}

void svg_arrow_outline(FILE *out, double x1, double y1, double x2, double y2, double width,
                       double short_of)
{
    double dx = x2 - x1, dy = y2 - y1, length = sqrt(dx * dx + dy * dy);
    if (length < 1e-9)
        return;
    dx /= length;
    dy /= length;
    double head = 3 + 1.8 * width, half = head * 0.42, shaft = width / 2;
    double tip_x = x2 - short_of * dx, tip_y = y2 - short_of * dy;
    double base_x = tip_x - head * dx, base_y = tip_y - head * dy;
    fprintf(out, "M%.2f %.2fL%.2f %.2f %.2f %.2f %.2f %.2f %.2f %.2f %.2f %.2f %.2f %.2fz",
            x1 - shaft * dy, y1 + shaft * dx, base_x - shaft * dy, base_y + shaft * dx,
            base_x - half * dy, base_y + half * dx, tip_x, tip_y, base_x + half * dy,
            base_y - half * dx, base_x + shaft * dy, base_y - shaft * dx, x1 + shaft * dy,
            y1 - shaft * dx);
}

void svg_arrow(FILE *out, double x1, double y1, double x2, double y2, const char *colour,
               double width, double short_of)
{
    fputs("<path d=\"", out);
    svg_arrow_outline(out, x1, y1, x2, y2, width, short_of);
    fprintf(out, "\" fill=\"%s\"/>\n", colour);
}

void svg_dashes(FILE *out, double x1, double y1, double x2, double y2, const char *colour)
{
    fprintf(out,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
            "stroke-dasharray=\"3 3\"/>\n",
            x1, y1, x2, y2, colour);
}

void svg_box(FILE *out, double x, double y, double width, double height, const char *fill,
             const char *stroke)
{
    fprintf(out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" "
            "stroke=\"%s\"/>\n",
            x, y, width, height, fill, stroke);
}

void svg_node(FILE *out, double x, double y, double radius, const char *fill, int number)
{
    char text[16], attributes[64];
    snprintf(text, sizeof text, "%d", number);
    snprintf(attributes, sizeof attributes, "text-anchor=\"middle\" font-size=\"%.0f\"", radius);
    fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" stroke=\"#222\"/>\n", x, y,
            radius, fill);
    svg_text(out, x, y + 0.36 * radius, attributes, text);
}

void svg_label(FILE *out, double x, double y, double size, const char *text)
{
    char attributes[128];
    snprintf(attributes, sizeof attributes,
             "text-anchor=\"middle\" font-size=\"%.0f\" stroke=\"" SVG_PAPER
             "\" stroke-width=\"4\" paint-order=\"stroke\"",
             size);
    svg_text(out, x, y, attributes, text);
}

void svg_curve(FILE *out, double x1, double y1, double x2, double y2, const char *colour,
               double width)
{
    double middle = (x1 + x2) / 2;
    fprintf(out,
            "<path d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\" fill=\"none\" stroke=\"%s\" "
            "stroke-width=\"%.1f\"/>\n",
            x1, y1, middle, y1, middle, y2, x2, y2, colour, width);
}
