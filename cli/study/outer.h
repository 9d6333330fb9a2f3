/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures of sums of outer products, from files of measured launches. */
#pragma once

#include <stdbool.h>

#include "cli/output/json.h"
#include "lab/gossip/interval.h"

enum { OUTER_FILES = 16, OUTER_METHODS = 16, OUTER_POINTS = 64 };

/* A figure of the paper: a quantile of speed-ups or times, or all times as violins. */
enum outer_kind { OUTER_SPEEDUP, OUTER_TIME, OUTER_VIOLINS };
struct outer_figure {
    int figure;
    enum outer_kind kind;
    double quantile;
};

/* A method in a case. */
struct outer_observed {
    const char *method, *shape;
    double side; /* the square root of N M: N of a square */
    long long pairs;
    int count;
    double *median; /* seconds, of each launch */
};

/* The launches on so many ranks. */
struct outer_measured {
    json_t *reports; /* own the texts */
    const char *path;
    const char *simulated; /* where; NULL: measured */
    int ranks, launches, count;
    struct outer_observed *observed;
};

/* Reads a file with one or more reports of `bench outer --json`, one after another. Each adds its
 * launches. Returns false after a complaint. */
bool outer_read(const char *path, struct outer_measured *measured);
void outer_free(struct outer_measured *measured);

/* The quantile with its bootstrap interval: of times as fast, or of seconds. All NaN without the
 * all-reduce of the same case. */
struct summand__interval outer_value(const struct outer_measured *measured,
                                     const struct outer_observed *of,
                                     const struct outer_figure *figure);
/* "Figure 2: Median of speed-ups over the all-reduce" */
void outer_title(const struct outer_figure *figure, char *text, size_t room);

/* Draws a chart, or violins of each shape, for each file. Returns the exit status. */
int outer_draw(const struct outer_measured *measured, int files, const struct outer_figure *figure,
               const char *path);
