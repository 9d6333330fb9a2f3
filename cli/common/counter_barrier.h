/* SPDX-License-Identifier: BSD-3-Clause */
/* A barrier of ranks that share processors: a counter in memory that all of them see. Each adds one
 * and lets others run until all have; so all leave at their first turn after the last one came,
 * whatever the MPI's own barrier does. */
#ifndef SUMMAND_CLI_COMMON_COUNTER_BARRIER_H
#define SUMMAND_CLI_COMMON_COUNTER_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

struct counter_barrier {
    struct counter_barrier_counter *counter;
    uint64_t passed; /* ranks that have come when the next barrier is over, all before counted */
    int ranks;
};

/* Collective. False, on all ranks, if they do not share memory. */
bool counter_barrier_open(struct counter_barrier *barrier);
/* Of a barrier that was not opened: the MPI's own. */
void counter_barrier_pass(struct counter_barrier *barrier);
void counter_barrier_close(struct counter_barrier *barrier);

#endif
