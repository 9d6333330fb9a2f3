/* SPDX-License-Identifier: BSD-3-Clause */
/* Curves of a user's runs on a logarithmic axis: --plot of `gossip run` and `study rounds`. */
#pragma once

#include "cli/plot/svg.h"

/* All zero: empty. Long curves are thinned out. */
struct gossip_curve {
    int count, capacity, every, skipped; /* points skipped between two kept ones */
    struct svg_point *points;
};

/* Adds a point; errors are clamped to 1e-17 .. 1e3. A point without memory is left out. */
void gossip_curve_add(struct gossip_curve *curve, double x, double error);
void gossip_curve_free(struct gossip_curve *curves, int count);

/* names NULL: many runs of one kind, all lines alike. Returns the exit status. */
int gossip_plot(const char *command, const char *path, const char *title, const char *x_label,
                const struct gossip_curve *curves, const char *const *names, int count);
