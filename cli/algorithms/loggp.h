/* LogGP parameters of this machine, measured through the library's own plans.
 *
 * Sources: Hoefler, Lichei, Rehm 2007, "Low-overhead LogGP parameter assessment for modern
 * interconnection networks" (ping-pongs, bursts, and delays between messages, which leave the
 * processor's overhead visible); Culler et al. 1996 for the gap as the rate of a burst. */
#ifndef SUMMAND_CLI_ALGORITHMS_LOGGP_H
#define SUMMAND_CLI_ALGORITHMS_LOGGP_H

#include <stdio.h>

#include "model/model.h"

enum { LOGGP_SIZES = 24 };

/* One-way times of messages between two ranks, half of a round trip. */
struct loggp_fit {
    int sizes;
    size_t bytes[LOGGP_SIZES];
    double seconds[LOGGP_SIZES]; /* measured */
    double model[LOGGP_SIZES];
};

struct loggp {
    struct summand__model model;
    bool far; /* ranks are on more than one node, and `fit[SUMMAND__NETWORK]` was measured */
    struct loggp_fit fit[2];
};

/* Collective over MPI_COMM_WORLD, of at least two ranks; about a second. The same on all ranks.
 * False after a complaint of `command`. */
bool loggp_measure(const char *command, struct loggp *loggp);

/* How well the model meets what was measured, in lines that begin with `lead`. */
void loggp_print_fit(const struct loggp *loggp, const char *lead, FILE *out);

#endif
