/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of `summand-study rounds`. */
#pragma once

#include "cli/gossip/gossip_plot.h"
#include "cli/output/json.h"

#include "lab/gossip/large.h"

struct rounds_options {
    long long nodes, seed, data_seed, most, threads, flips, bit;
    double eps, tau, loss;
    int data, algorithm, variant, variable;
    bool twice, json, crossing;
    const char *checkpoint, *when, *topology, *plot;
    const char *name; /* of the algorithm */
};

/* The output of a run: line by line during the run, or as JSON at its end; and its picture. */
struct rounds_log {
    const struct rounds_options *options;
    json_t *json, *rows;
    struct gossip_curve *curve; /* two: at the root, the largest */
};

void rounds_log_begin(struct rounds_log *log, const struct rounds_options *options);
/* seconds below 0: unknown. */
void rounds_log_row(struct rounds_log *log, int round, double seconds, double root, double largest);
/* A value of the whole run, for JSON. */
void rounds_log_value(struct rounds_log *log, const char *key, json_t *value);
/* `status` is the run's exit status. Returns the exit status. */
int rounds_log_end(struct rounds_log *log, int status);

/* Runs the state machines: few nodes, any topology, lost messages. faults: in the order of
 * rounds. */
int rounds_by_machines(const struct rounds_options *options,
                       const struct summand__large_fault *faults, struct rounds_log *log);
