/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/plot/svg_style.h"

#include <stdlib.h>

#include "cli/plot/svg.h"

#define DASHES(lengths) "stroke-dasharray=\"" lengths "\""

/* The colours of Okabe and Ito, which most colour-blind readers can distinguish, and two more. */
static const struct style {
    const char *colour, *dashes;
} styles[SVG_COLOURED] = {
    {"#0072b2", ""}, {"#56b4e9", DASHES("7 3")}, {"#009e73", ""}, {"#7fbf3f", DASHES("7 3")},
    {"#d55e00", ""}, {"#cc79a7", DASHES("2 2")}, {"#b8860b", ""}, {"#8a4fbf", DASHES("7 3")}};

/* Attributes hold the colours of a light page, which every program shows. A style sheet replaces
 * each on a dark page. */
static const struct {
    const char *light, *dark;
} colours[] = {
    {SVG_INK, "#e6e6e6"},   {SVG_QUIET, "#a8a8a8"}, {SVG_GRID, "#383838"},  {SVG_GREY, "#5c5c5c"},
    {SVG_PAPER, "#0d1117"}, {"#0072b2", "#3f8cff"}, {"#56b4e9", "#a9dcff"}, {"#009e73", "#2cc295"},
    {"#d55e00", "#ff8c42"}, {"#cc79a7", "#e59cc6"}, {"#b8860b", "#e0b040"}, {"#8a4fbf", "#b58be0"},
    {"#c00000", "#ff6b6b"}, {"#f4f4f4", "#1d2127"}, {"#eee", "#2e2e2e"},    {"#bbb", "#555"},
    {"#ccc", "#4a4a4a"},    {"#ddd", "#3c3c3c"},    {"#777", "#9a9a9a"},    {"#e8f1fa", "#17344f"},
    {"#fdf0e2", "#4d3416"}, {"#d9d9d9", "#6a6a6a"}, {"#ffd27f", "#80600f"}, {"#f2b872", "#b9803a"},
    {"#8cc6ee", "#3d7fb0"}, {"#5fbf94", "#2f8f66"}};

enum { COLOURS = sizeof colours / sizeof *colours };

const char *svg_colour(const struct svg_series *series)
{
    return series->style < 0 ? SVG_GREY : styles[series->style % SVG_COLOURED].colour;
}

const char *svg_dashes_of(const struct svg_series *series)
{
    return series->style < 0 ? "" : styles[series->style % SVG_COLOURED].dashes;
}

void svg_marker(FILE *out, const struct svg_series *series, double x, double y, double size)
{
    const char *colour = svg_colour(series);
    switch (abs(series->style) % 4) {
    case 0:
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>\n", x, y, size,
                colour);
        break;
    case 1:
        fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
                x - 0.86 * size, y - 0.86 * size, 1.72 * size, 1.72 * size, colour);
        break;
    case 2:
        fprintf(out, "<polygon points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\" fill=\"%s\"/>\n", x,
                y - 1.15 * size, x + 1.15 * size, y + 0.86 * size, x - 1.15 * size, y + 0.86 * size,
                colour);
        break;
    default:
        fprintf(out, "<polygon points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f\" fill=\"%s\"/>\n",
                x, y - 1.15 * size, x + 1.15 * size, y, x, y + 1.15 * size, x - 1.15 * size, y,
                colour);
    }
}

void svg_style_sheet(FILE *out)
{
    fputs("<style>svg{color-scheme:light dark}\n@media (prefers-color-scheme:dark){\n", out);
    for (int i = 0; i < COLOURS; i++)
        fprintf(out, "[fill=\"%s\"]{fill:%s}[stroke=\"%s\"]{stroke:%s}\n", colours[i].light,
                colours[i].dark, colours[i].light, colours[i].dark);
    fputs("}</style>\n", out);
}
