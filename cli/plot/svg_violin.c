/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/plot/svg_violin.h"

#include <math.h>

#include "bench/measure.h"
#include "cli/plot/svg_axis.h"
#include "cli/plot/svg_shapes.h"
#include "cli/plot/svg_style.h"

enum { LEFT = 66, RIGHT = 10, TOP = 28, BOTTOM = 8, STEPS = 60, FEWEST = 6 };

/* Half the width of a violin, and its position. */
struct slot {
    const struct svg_axis *y;
    double middle, half;
};

/* The kernel's width, in logarithms: Silverman's (1986, 3.31), but at least a pixel. */
static double bandwidth(const struct svg_violin *violin, const struct svg_axis *y)
{
    const double pixels = 1.5, n = violin->count;
    const double least = pixels * log(y->high / y->low) / fabs(y->to - y->from);
    const double quarters = log(measure_quantile(violin->value, violin->count, 0.75) /
                                measure_quantile(violin->value, violin->count, 0.25));
    double mean = 0, squares = 0;
    for (int i = 0; i < violin->count; i++)
        mean += log(violin->value[i]) / n;
    for (int i = 0; i < violin->count; i++)
        squares += pow(log(violin->value[i]) - mean, 2);
    double spread = sqrt(squares / (n - 1));
    if (quarters > 0)
        spread = fmin(spread, quarters / 1.34);
    return fmax(least, 0.9 * spread * pow(n, -0.2));
}

static double density(const struct svg_violin *violin, double at, double width)
{
    double sum = 0;
    for (int i = 0; i < violin->count; i++)
        sum += exp(-0.5 * pow((log(violin->value[i]) - at) / width, 2));
    return sum;
}

/* From the least value to the greatest only. */
static void draw_density(FILE *out, const struct svg_violin *violin, const struct slot *slot)
{
    const double low = log(violin->value[0]), high = log(violin->value[violin->count - 1]);
    const double width = bandwidth(violin, slot->y);
    double found[STEPS + 1], most = 0;
    for (int i = 0; i <= STEPS; i++) {
        found[i] = density(violin, low + (high - low) * i / STEPS, width);
        most = fmax(most, found[i]);
    }
    fprintf(out, "<path fill=\"%s\" fill-opacity=\"0.35\" stroke=\"%s\" d=\"",
            svg_colour(&violin->look), svg_colour(&violin->look));
    for (int i = -STEPS - 1; i <= STEPS; i++) { /* down on the left, up on the right */
        const int step = i < 0 ? -i - 1 : i;
        const double side = (i < 0 ? -1 : 1) * slot->half * found[step] / most;
        fprintf(out, "%c%.1f %.1f", i == -STEPS - 1 ? 'M' : 'L', slot->middle + side,
                svg_axis_at(slot->y, exp(low + (high - low) * step / STEPS)));
    }
    fputs("Z\"/>\n", out);
}

static void draw_quantile(FILE *out, const struct svg_violin *violin, const struct slot *slot,
                          double part)
{
    const double at = svg_axis_at(slot->y, measure_quantile(violin->value, violin->count, part));
    const double half = 0.55 * slot->half;
    svg_line(out, slot->middle - half, at, slot->middle + half, at, svg_colour(&violin->look), 1.2);
}

static void draw_dots(FILE *out, const double *value, int count, const struct slot *slot, double x)
{
    for (int i = 0; i < count; i++)
        fprintf(out,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.6\" fill=\"" SVG_INK
                "\" fill-opacity=\"0.8\"/>\n",
                x, svg_axis_at(slot->y, value[i]));
}

static void draw_violin(FILE *out, const struct svg_violin *violin, const struct slot *slot)
{
    const bool few = violin->count < FEWEST;
    fputs("<g>", out);
    svg_title(out, violin->look.name);
    if (few)
        draw_dots(out, violin->value, violin->count, slot, slot->middle + 0.6 * slot->half);
    else
        draw_density(out, violin, slot);
    draw_quantile(out, violin, slot, 0.05);
    draw_quantile(out, violin, slot, 0.95);
    svg_marker(out, &violin->look, slot->middle,
               svg_axis_at(slot->y, measure_quantile(violin->value, violin->count, 0.5)), 3.5);
    draw_dots(out, violin->dot, violin->dots, slot, slot->middle - 0.6 * slot->half);
    fputs("</g>\n", out);
}

void svg_violins(FILE *out, const struct svg_violins *c)
{
    const double left = c->left + LEFT, right = c->left + c->width - RIGHT;
    const double top = c->top + TOP, bottom = c->top + c->height - BOTTOM;
    double least = INFINITY, most = 0;
    char turned[96];
    svg_text(out, left, c->top + 18, "font-weight=\"bold\"", c->title);
    snprintf(turned, sizeof turned,
             "text-anchor=\"middle\" transform=\"translate(%.1f %.1f) rotate(-90)\"", c->left + 12,
             (top + bottom) / 2);
    svg_text(out, 0, 0, turned, c->y_label);
    for (int v = 0; v < c->count; v++) {
        const struct svg_violin *violin = &c->violin[v];
        if (violin->count < 1)
            continue;
        least = fmin(least, violin->value[0]);
        most = fmax(most, violin->value[violin->count - 1]);
    }
    if (!(least <= most))
        return;
    const struct svg_axis y = svg_axis(c->y_unit, true, least, most, bottom, top);
    const struct svg_axis x = {.from = left, .to = right};
    svg_axis_frame(out, &x, &y);
    const double room = (right - left) / c->count;
    for (int v = 0; v < c->count; v++)
        if (c->violin[v].count > 0)
            draw_violin(out, &c->violin[v],
                        &(struct slot){&y, left + (v + 0.5) * room, fmin(0.42 * room, 24)});
}
