/* SPDX-License-Identifier: BSD-3-Clause */
/* What `summand gossip run` prints, and its own initial data. */
#ifndef SUMMAND_CLI_GOSSIP_GOSSIP_REPORT_H
#define SUMMAND_CLI_GOSSIP_GOSSIP_REPORT_H

#include "lab/gossip/events.h"

struct gossip_report {
    const char *algorithm, *form, *topology;
    long long nodes;
    const char *norm; /* what errors are relative to */
    double eps;
    int runs;
    bool stay; /* runs went on after they had reached eps */
    const struct summand__events_outcome *outcomes;
};

/* One run: what happened; several: medians with 95 % intervals. Exit statuses. */
int gossip_report_text(const struct gossip_report *report);
int gossip_report_json(const struct gossip_report *report);

/* `name`: a kind of data, or else a file of numbers, as many as there are nodes: to be freed by the
 * caller. Says what is wrong and returns false otherwise. */
bool gossip_read_data(const char *command, const char *name, int *kind, long long *nodes,
                      double **own);

#endif
