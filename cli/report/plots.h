/* SPDX-License-Identifier: BSD-3-Clause */
/* The plots of a report's page, each for wide and for narrow screens: a picture that shrinks makes
 * its text too small to read. */
#pragma once

#include "cli/report/report.h"

enum { PLOT_WIDE = 760, PLOT_NARROW = 350 };

#define WAITING_COLOUR "#8cc6ee"
#define MOVING_COLOUR "#0072b2"
#define MOST_COLOUR "#c00000"
#define MPI_COLOUR "#d55e00" /* as in all pictures (svg_methods.c) */

/* "256 to 1 Ki": the bytes of a row. */
void plot_class(const struct report_row *row, char *text, size_t room);
/* Bars: the time in calls of each function and size, and the part that is waiting; the rest
 * in the colour of the algorithm. */
void plot_calls(const struct report *report, double width, FILE *out);
/* Bars: the time in calls of each rank, or of groups of ranks. */
void plot_ranks(const struct report *report, double width, FILE *out);
/* The part of the time in calls over the run: the mean of the ranks, and the most. */
void plot_time(const struct report *report, double width, FILE *out);
