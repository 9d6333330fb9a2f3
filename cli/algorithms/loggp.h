/* SPDX-License-Identifier: BSD-3-Clause */
/* LogGP parameters of these ranks: the model by which the library chooses (the measurements of
 * learn/network.h, longer, and the node's calibration), and its fit to measured messages. */
#pragma once

#include <stdio.h>

#include "learn/network.h"

/* For level[SUMMAND__WITHIN_NODE] and level[SUMMAND__NETWORK]; no sizes if none was measured. */
struct loggp {
    struct summand__model model;
    bool far; /* ranks are on more than one node */
    struct summand__network_sample sample[2];
};

/* Collective over MPI_COMM_WORLD, needs two ranks; takes about a second. The model is the same on
 * all ranks, samples are on rank 0. Returns false after a complaint of `command`. */
bool loggp_measure(const char *command, struct loggp *loggp);

/* Prints how well the model fits the measurements, in lines that begin with `lead`. */
void loggp_print_fit(const struct loggp *loggp, const char *lead, FILE *out);
