/* A barrier of ranks that share processors: a counter in memory that all of them see. Each adds one
 * and lets others run until all have; so all leave at their first turn after the last one came,
 * whatever the MPI's own barrier does. */
#ifndef SUMMAND_CLI_GATE_H
#define SUMMAND_CLI_GATE_H

#include <stdbool.h>
#include <stdint.h>

struct gate {
    struct gate_counter *counter;
    uint64_t passed; /* ranks that have come when the next gate is over, all before counted */
    int ranks;
};

/* Collective. False, on all ranks, where they do not share memory. */
bool gate_open(struct gate *gate);
void gate_pass(struct gate *gate);
void gate_close(struct gate *gate);

#endif
