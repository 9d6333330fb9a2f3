/* SPDX-License-Identifier: BSD-3-Clause */
/* The collectives of a communicator's first use, one, or some more where its ranks make a fabric;
 * and of windows.
 * While they wait they move this thread's started plans on, as other ranks may wait for one of
 * these first. They say where they are stuck (SUMMAND_STALL), and end with SUMMAND_ERR_TIMEOUT
 * after SUMMAND_TIMEOUT: then other ranks may still take this rank's words for given, and the
 * communicator can be used no more. Results are undefined where the error code is not MPI_SUCCESS.
 */
#ifndef SUMMAND_WAIT_BALLOT_H
#define SUMMAND_WAIT_BALLOT_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "wait/wait.h"

/* Joins the ranks' words by MPI_BAND, in place. `oversubscribed`: more ranks than processors. */
int summand__ballot(MPI_Comm comm, uint64_t *words, int count, bool oversubscribed);

/* In making a fabric. Joins words by MPI_BOR, numbers by MPI_MIN, in place; hands out the first
 * rank's bytes; gathers `bytes` of each rank. Only those that join end nowhere before all ranks
 * have come.
 */
int summand__ballot_or(MPI_Comm comm, uint64_t *words, int count);
int summand__ballot_least(MPI_Comm comm, int *numbers, int count);
int summand__ballot_lowest(MPI_Comm comm, uint64_t *words, int count);
int summand__ballot_tell(MPI_Comm comm, void *data, int bytes);
int summand__ballot_gather(MPI_Comm comm, const void *mine, void *all, int bytes);

/* Waits for one request in the same way; spins at first. Where it ends with an error the request is
 * still there, and the MPI may use its buffer. */
int summand__ballot_wait(MPI_Comm comm, MPI_Request *request);

/* The one place that polls a request of a collective of the MPI: the same with a watch of the
 * caller's, also for agreements (plan/agree.h). */
int summand__ballot_request(struct summand__watch *watch, MPI_Request *request,
                            bool oversubscribed);

#endif
