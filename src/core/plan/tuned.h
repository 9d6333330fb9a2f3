/* SPDX-License-Identifier: BSD-3-Clause */
/* The measured choices that hold on a communicator. */
#ifndef SUMMAND_PLAN_TUNED_H
#define SUMMAND_PLAN_TUNED_H

#include "comm/state.h"
#include "select/tuning.h"

/* Those of SUMMAND_TUNING for the communicator's ranks and nodes: read at the first call, kept with
 * the fabric; without rules where there is no file, or where it is damaged or from another machine,
 * of which rank 0 of MPI_COMM_WORLD warns once. Local, and alike on all ranks; NULL when out of
 * memory. */
const struct summand__tuning *summand__tuned(const struct summand__state *state);

/* The line `machine` of what is measured on this communicator, where `machine` is
 * summand__machine_text: whether ranks of a node share memory belongs to it. Local. */
void summand__tuned_machine(const struct summand__state *state, const char *machine, char *text,
                            size_t room);

/* A query with all that the communicator says of the machine; nodes as in the grouping, or regular
 * ones. */
struct summand__query summand__query_on(const struct summand__state *state,
                                        const struct summand__grouping *grouping);

#endif
