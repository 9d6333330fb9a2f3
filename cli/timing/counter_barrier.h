/* SPDX-License-Identifier: BSD-3-Clause */
/* A barrier of ranks that share processors: a counter in shared memory. Each rank adds one and
 * yields until all have, so each leaves at its first turn after the last arrival, whatever the
 * MPI's barrier does. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct counter_barrier {
    struct counter_barrier_counter *counter;
    uint64_t passed; /* arrivals at the end of the next barrier, all earlier ones included */
    int ranks;
};

/* Collective. False, on all ranks, if they do not share memory. */
bool counter_barrier_open(struct counter_barrier *barrier);
/* A barrier that was not opened uses the MPI's. */
void counter_barrier_pass(struct counter_barrier *barrier);
void counter_barrier_close(struct counter_barrier *barrier);
