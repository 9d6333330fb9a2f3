/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/plot/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output/text.h"
#include "cli/plot/svg_style.h"

enum { ROW = 20, SAMPLE = 28, AFTER = 6, BETWEEN = 20, SIZE = 12 };

void svg_escaped(FILE *out, const char *text)
{
    char *line = text_line(text);
    for (const char *at = line; *at; at++)
        if (*at == '<')
            fputs("&lt;", out);
        else if (*at == '&')
            fputs("&amp;", out);
        else if (*at == '>')
            fputs("&gt;", out);
        else
            fputc(*at, out);
    free(line);
}

void svg_text(FILE *out, double x, double y, const char *attributes, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    svg_escaped(out, text);
    fputs("</text>\n", out);
}

double svg_text_width(const char *text, double size)
{
    char *line = text_line(text);
    double width = 0.58 * size * text_columns(line);
    free(line);
    return width;
}

void svg_heading(FILE *out, double x, double y, double width, const char *text)
{
    char attributes[64];
    const double largest = 15, bold = 1.1;
    double size = fmin(largest, width / fmax(1, bold * svg_text_width(text, 1)));
    snprintf(attributes, sizeof attributes, "font-weight=\"bold\" font-size=\"%.1f\"", size);
    svg_text(out, x, y, attributes, text);
}

void svg_note(FILE *out, double x, double y, double width, const char *text)
{
    char attributes[64];
    double size = fmin(SIZE, width / fmax(1, svg_text_width(text, 1)));
    snprintf(attributes, sizeof attributes, "fill=\"" SVG_QUIET "\" font-size=\"%.1f\"", size);
    svg_text(out, x, y, attributes, text);
}

void svg_begin(FILE *out, double width, double height, const char *title)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"title\" "
            "width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "font-family=\"sans-serif\" font-size=\"%d\" fill=\"" SVG_INK "\">\n"
            "<title id=\"title\">",
            width, height, width, height, SIZE);
    svg_escaped(out, title);
    fputs("</title>\n", out);
    svg_style_sheet(out);
}

void svg_title(FILE *out, const char *text)
{
    fputs("<title>", out);
    svg_escaped(out, text);
    fputs("</title>\n", out);
}

void svg_end(FILE *out)
{
    fputs("</svg>\n", out);
}

/* A short sample of a line, for legends. */
static void svg_sample(FILE *out, const struct svg_series *series, double x, double y, double width)
{
    fprintf(out,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
            "stroke-width=\"1.8\" %s/>\n",
            x, y, x + width, y, svg_colour(series), svg_dashes_of(series));
    svg_marker(out, series, x + width / 2, y, 3.5);
}

double svg_legend_rows(FILE *out, const struct svg_series *series, int count, double left,
                       double top, double width)
{
    double x = left, y = top;
    for (int i = 0; i < count; i++) {
        double room = SAMPLE + AFTER + svg_text_width(series[i].name, SIZE);
        if (x > left && x + room > left + width) {
            x = left;
            y += ROW;
        }
        if (out) {
            svg_sample(out, &series[i], x, y, SAMPLE);
            svg_text(out, x + SAMPLE + AFTER, y + 4, "", series[i].name);
        }
        x += room + BETWEEN;
    }
    return y - top + ROW;
}

void svg_legend(FILE *out, const struct svg_series *series, int count, double left, double top)
{
    svg_legend_rows(out, series, count, left, top, INFINITY);
}

double svg_grey_names(FILE *out, const struct svg_series *series, int count, double left,
                      double top, double width)
{
    char line[1024] = "Grey: ";
    double y = top;
    int left_over = 0;
    for (int i = 0; i < count; i++)
        left_over += series[i].style < 0;
    if (!left_over)
        return 0;
    for (int i = 0; i < count; i++) {
        if (series[i].style >= 0)
            continue;
        char shortened[80], name[88];
        text_fit(shortened, sizeof shortened, series[i].name);
        snprintf(name, sizeof name, "%s%s", shortened, --left_over ? ", " : "");
        if (svg_text_width(line, 11) + svg_text_width(name, 11) > width) {
            if (out)
                svg_text(out, left, y + 10, "font-size=\"11\" fill=\"" SVG_QUIET "\"", line);
            y += 15;
            line[0] = 0;
        }
        strncat(line, name, sizeof line - strlen(line) - 1);
    }
    if (out)
        svg_text(out, left, y + 10, "font-size=\"11\" fill=\"" SVG_QUIET "\"", line);
    return y - top + 18;
}
