/* SPDX-License-Identifier: BSD-3-Clause */
/* A campaign: one call again and again, each time with one fault, on all ranks of MPI_COMM_WORLD.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <summand/options.h>

#include "algorithm/algorithm.h"

/* What became of calls with a fault; each call counts once, over all ranks. */
struct outcomes {
    long long calls, damaged; /* in all; those in which the fault changed a message */
    long long found;          /* an error on some rank, and the undisturbed bits on the others */
    long long right;          /* the undisturbed bits on all ranks */
    long long silent;         /* other bits on a rank without an error */
    long long hangs;          /* a rank waited until its timeout */
    long long alarms;         /* an error, though nothing was damaged */
};

struct campaign {
    MPI_Comm comm; /* errors return */
    enum summand__collective collective;
    size_t count; /* elements of each rank, or of each block */
    summand_options options;
    long long trials; /* drawn faults of each kind; 0: one for each message of each rank */
    uint64_t seed;
};

/* Collective. Adds to `outcomes`, the same on all ranks. False if the algorithm does not do the
 * call. */
bool campaign_run(const struct campaign *campaign, struct outcomes *outcomes);
