/* SPDX-License-Identifier: BSD-3-Clause */
/* A benchmark's picture: shared by its parts. */
#pragma once

#include <stdio.h>

#include "cli/bench/bench.h"

enum { BENCH_PLOT_WIDTH = 780, BENCH_PLOT_CHARTS = 16 };

/* The contents: methods, their names in the picture and styles, numbers of terms. */
struct bench_plot {
    const char *names[TIMING_SUBJECTS];
    char labels[TIMING_SUBJECTS][128];
    bool plans; /* some methods are starts of plans, beside calls: the labels say which */
    int style[TIMING_SUBJECTS], methods, terms[BENCH_PLOT_CHARTS], charts;
};

/* All repetitions of the coloured methods as violins: a chart for each case of a number of terms,
 * as Figure 5 of Enderlin et al., "Distributed sum of outer products" (ETH). Returns its height;
 * out may be NULL. */
double bench_draw_violins(FILE *out, const struct bench_report *report,
                          const struct bench_plot *plot, int terms, double top);
