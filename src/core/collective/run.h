/* SPDX-License-Identifier: BSD-3-Clause */
/* A collective operation as a plan: schedule, memory, and the caller's buffers bound to it. */
#ifndef SUMMAND_COLLECTIVE_RUN_H
#define SUMMAND_COLLECTIVE_RUN_H

#include <summand/plan.h>

#include "collective/operation.h"

/* Runs a blocking call and raises its error on the caller's communicator. A plan of the same shape
 * that is still at hand is used again. */
int summand__collective_run(const struct summand__operation *operation, MPI_Comm comm);

/* Makes a persistent plan; errors of one rank are errors of all. */
int summand__collective_init(const struct summand__operation *operation, MPI_Comm comm,
                             summand_plan **plan);

#endif
