/* SPDX-License-Identifier: BSD-3-Clause */
/* Time lines with more ranks or steps than a page has room for: a row stands for several ranks, a
 * column for some pixels of time, and the height of a colour is the part of the ranks' time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/plot/svg_axis.h"

enum { CROWD_ROWS = 64, CROWD_COLUMN = 2 }; /* most rows; pixels of a column */

struct crowd {
    int ranks, per_row, rows, columns, kinds;
    double unit; /* of the axis, per second */
    const struct svg_axis *time;
    double *busy; /* seconds of rows x columns x kinds */
};

/* How many ranks share a row, and how many rows that makes. */
int crowd_per_row(int ranks);
int crowd_rows(int ranks);
/* True if this many parts of time on some of the rows are too many to be drawn one by one. */
bool crowd_is(size_t parts, int ranks, const struct svg_axis *time);
void crowd_begin(struct crowd *crowd, int ranks, int kinds, double unit,
                 const struct svg_axis *time);
/* A rank does this from begin to end, in seconds. */
void crowd_add(struct crowd *crowd, int rank, int kind, double begin, double end);
/* top: of the first row; row: height of one. Frees. */
void crowd_draw(struct crowd *crowd, double top, double row, const char *const *fills, FILE *out);
/* "; a row is 8 ranks, a column 3.2 us, heights are parts of their time" */
void crowd_note(int ranks, bool crowd, const struct svg_axis *time, double unit, char *text,
                size_t room);
/* "rank 3", "ranks 8-15" */
void crowd_name(int ranks, int row, char *text, size_t room);
