/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the coloured lines of many. */
#include <math.h>

#include "cli/plot/svg.h"

static double value_at(const struct svg_series *series, double x)
{
    for (int i = 0; i < series->points; i++)
        if (!(series->point[i].x < x) && !(series->point[i].x > x))
            return series->point[i].y;
    return NAN;
}

/* The least ratio, over all x, of its value to the best one at the same x. */
static double nearness(const struct svg_series *all, int count, int which, bool greatest)
{
    double least = INFINITY;
    for (int i = 0; i < all[which].points; i++) {
        double x = all[which].point[i].x, mine = all[which].point[i].y, best = mine;
        for (int s = 0; s < count; s++) {
            double other = value_at(&all[s], x);
            best = greatest ? fmax(best, other) : fmin(best, other);
        }
        least = fmin(least, greatest ? best / mine : mine / best);
    }
    return least;
}

void svg_choose(struct svg_series *series, int count, int keep, bool greatest)
{
    enum { MOST = 128 };
    double near[MOST];
    if (svg_is_bars(&(struct svg_chart){.count = count, .series = series})) {
        svg_look(series, count);
        return;
    }
    for (int s = 0; s < count && s < MOST; s++)
        near[s] = s < keep ? 0 : nearness(series, count, s, greatest);
    for (int s = 0; s < count && s < MOST; s++) {
        int nearer = 0;
        for (int other = 0; other < count && other < MOST; other++)
            nearer += near[other] < near[s] || (near[other] <= near[s] && other < s);
        series[s].style = nearer >= SVG_COLOURED ? SVG_GREY_LINE : 0;
    }
    svg_look(series, count);
}
