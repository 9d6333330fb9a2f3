/* SPDX-License-Identifier: BSD-3-Clause */
/* LogGP parameters: the model by which the library chooses on these ranks (the measurements of
 * fabric/network.h, longer, and the node's calibration), and how well messages meet it. */
#ifndef SUMMAND_CLI_ALGORITHMS_LOGGP_H
#define SUMMAND_CLI_ALGORITHMS_LOGGP_H

#include <stdio.h>

#include "fabric/network.h"

/* Of level[SUMMAND__WITHIN_NODE] and level[SUMMAND__NETWORK]; no sizes where none was measured. */
struct loggp {
    struct summand__model model;
    bool far; /* ranks are on more than one node */
    struct summand__network_sample sample[2];
};

/* Collective over MPI_COMM_WORLD, of at least two ranks; about a second. The same model on all
 * ranks, samples on rank 0. False after a complaint of `command`. */
bool loggp_measure(const char *command, struct loggp *loggp);

/* How well the model meets what was measured, in lines that begin with `lead`. */
void loggp_print_fit(const struct loggp *loggp, const char *lead, FILE *out);

#endif
