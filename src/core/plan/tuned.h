/* SPDX-License-Identifier: BSD-3-Clause */
/* The measured choices for a communicator. */
#pragma once

#include "comm/state.h"
#include "select/tuning.h"

/* The rules of SUMMAND_TUNING for the communicator's ranks and nodes, read at the first call and
 * kept with the fabric. Without rules if there is no file, or if it is damaged or from another
 * machine: rank 0 of MPI_COMM_WORLD warns of that once. Local, and equal on all ranks; NULL when
 * out of memory. */
const struct summand__tuning *summand__tuned(const struct summand__state *state);

/* The line `machine` for measurements on this communicator: `machine` (of summand__machine_text)
 * and whether ranks of a node share memory. Local. */
void summand__tuned_machine(const struct summand__state *state, const char *machine, char *text,
                            size_t room);

/* A selection query with the communicator's machine; nodes as in the grouping, or regular ones if
 * it is NULL. */
struct summand__query summand__query_on(const struct summand__state *state,
                                        const struct summand__grouping *grouping);
