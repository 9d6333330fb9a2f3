/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a collective operation as a plan: schedule, memory, and the caller's buffers. */
#ifndef SUMMAND_COLLECTIVE_RUN_H
#define SUMMAND_COLLECTIVE_RUN_H

#include <summand/plan.h>

#include "collective/operation.h"

/* Runs a blocking call and raises its error on the caller's communicator. Reuses a cached plan of
 * the same shape. */
int summand__collective_run(const struct summand__operation *operation, MPI_Comm comm);

/* Makes a persistent plan; an error of one rank is an error of all. */
int summand__collective_init(const struct summand__operation *operation, MPI_Comm comm,
                             summand_plan **plan);

#endif
