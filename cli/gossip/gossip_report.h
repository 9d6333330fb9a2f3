/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of `summand gossip run`, and the user's initial data. */
#pragma once

#include "lab/gossip/events.h"

struct gossip_report {
    const char *algorithm, *form, *topology;
    long long nodes;
    const char *norm; /* the reference of errors */
    double eps;
    int runs;
    bool stay; /* runs continued after they reached eps */
    const struct summand__events_outcome *outcomes;
};

/* For one run, its events; for several, medians with 95 % intervals. Return exit statuses. */
int gossip_report_text(const struct gossip_report *report);
int gossip_report_json(const struct gossip_report *report);

/* `name`: a kind of data, or else a file with one number per node; the caller frees them. Returns
 * false after a complaint. */
bool gossip_read_data(const char *command, const char *name, int *kind, long long *nodes,
                      double **own);
