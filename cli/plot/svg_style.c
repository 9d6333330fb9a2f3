/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/plot/svg_style.h"

#include <stdlib.h>
#include <string.h>

#include "cli/plot/svg.h"

#define DASHES(lengths) "stroke-dasharray=\"" lengths "\""

/* The colours of Okabe and Ito, which most colour-blind readers can distinguish, and two more, for
 * lines that are no methods. */
static const struct style {
    const char *colour, *dashes;
} styles[SVG_COLOURED] = {
    {"#0072b2", ""}, {"#56b4e9", DASHES("7 3")}, {"#009e73", ""}, {"#7fbf3f", DASHES("7 3")},
    {"#d55e00", ""}, {"#cc79a7", DASHES("2 2")}, {"#b8860b", ""}, {"#8a4fbf", DASHES("7 3")}};

/* Of methods, on a light page and on a dark one. Each is as far as possible from those before it,
 * as readers without red or green cones see them, too (Vienot, Brettel and Mollon, 1999): the first
 * ones go to the methods that meet most. */
static const struct {
    const char *light, *dark;
} palette[SVG_PALETTE] = {
    {"#0072b2", "#3f8cff"}, {"#d55e00", "#ff8c42"}, {"#009e73", "#2cc295"}, {"#8a4fbf", "#b58be0"},
    {"#b8860b", "#e0b040"}, {"#56b4e9", "#a9dcff"}, {"#cc79a7", "#e59cc6"}, {"#911828", "#da5264"},
    {"#2424db", "#8181e4"}, {"#1d5e63", "#4ebac3"}, {"#a65f30", "#d29c78"}, {"#1eb85c", "#6adf99"},
    {"#9e24db", "#c381e4"}, {"#1d6342", "#4ec38c"}, {"#82267c", "#c962c3"}, {"#b81e70", "#df6aa9"},
    {"#1eaeb8", "#6ad8df"}, {"#e27750", "#eab29d"}, {"#404096", "#8484c5"}, {"#c550e2", "#db9dea"},
    {"#2455db", "#819ce4"}, {"#7091c2", "#aebfd9"}, {"#b24d90", "#ce97bb"}, {"#b8ae1e", "#dfd86a"},
    {"#701eb8", "#a96adf"}, {"#6e4f12", "#d5a13b"}, {"#268232", "#62c96f"}, {"#76324d", "#bc6f8e"},
    {"#409685", "#84c5b9"}, {"#964040", "#c58484"}};

static const char *const patterns[] = {"", DASHES("7 3"), DASHES("2 2")};

enum { PATTERNS = sizeof patterns / sizeof *patterns };
_Static_assert((int)PATTERNS *SVG_MARKERS == SVG_LOOKS, "their numbers have no common factor");

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

/* The place in the palette of a method's line, else -1; and which one of the method's lines it is.
 */
static int place_of(const struct svg_series *series, int *variant)
{
    int at = series->style - SVG_METHODS;
    *variant = at / SVG_PALETTE;
    return at < 0 ? -1 : at % SVG_PALETTE;
}

const char *svg_colour(const struct svg_series *series)
{
    int variant, place = place_of(series, &variant);
    return series->style < 0 ? SVG_GREY
           : place >= 0      ? palette[place].light
                             : styles[series->style % SVG_COLOURED].colour;
}

const char *svg_dashes_of(const struct svg_series *series)
{
    int variant, place = place_of(series, &variant);
    return series->style < 0 ? ""
           : place >= 0      ? patterns[(place + variant) % PATTERNS]
                             : styles[series->style % SVG_COLOURED].dashes;
}

int svg_marker_of(const struct svg_series *series)
{
    int variant, place = place_of(series, &variant);
    return (place >= 0 ? place + variant : abs(series->style)) % SVG_MARKERS;
}

void svg_marker(FILE *out, const struct svg_series *series, double x, double y, double size)
{
    const char *colour = svg_colour(series);
    switch (svg_marker_of(series)) {
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

static void dark_rule(FILE *out, const char *light, const char *dark)
{
    fprintf(out, "[fill=\"%s\"]{fill:%s}[stroke=\"%s\"]{stroke:%s}\n", light, dark, light, dark);
}

void svg_style_sheet(FILE *out)
{
    fputs("<style>svg{color-scheme:light dark}\n@media (prefers-color-scheme:dark){\n", out);
    for (int i = 0; i < COLOURS; i++)
        dark_rule(out, colours[i].light, colours[i].dark);
    fputs("}</style>\n", out);
}

void svg_method_sheet(FILE *out, const struct svg_series *series, int count)
{
    bool open = false;
    for (int s = 0; s < count; s++) {
        int variant, place = place_of(&series[s], &variant);
        bool known = place < 0;
        for (int i = 0; i < COLOURS && !known; i++)
            known = !strcmp(colours[i].light, palette[place].light);
        if (known)
            continue;
        if (!open)
            fputs("<style>@media (prefers-color-scheme:dark){\n", out);
        open = true;
        dark_rule(out, palette[place].light, palette[place].dark);
    }
    if (open)
        fputs("}</style>\n", out);
}
