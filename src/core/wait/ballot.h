/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives of a communicator's first use (one, or more if its ranks make a fabric) and of
 * windows. While they wait they progress this thread's active plans, because other ranks may wait
 * for one of these first. They report stuck waits (SUMMAND_STALL), and end with SUMMAND_ERR_TIMEOUT
 * after SUMMAND_TIMEOUT. After that other ranks may still use this rank's words, and the
 * communicator is unusable. If the error code is not MPI_SUCCESS, results are undefined. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "wait/wait.h"

/* Combines the ranks' words by MPI_BAND, in place. `oversubscribed`: more ranks than processors. */
int summand__ballot(MPI_Comm comm, uint64_t *words, int count, bool oversubscribed);

/* Where the nodes are not known yet: false if each rank of the program probably has a processor. */
bool summand__ballot_oversubscribed(void);

/* For making a fabric. Combine words by MPI_BOR, numbers by MPI_MIN, in place (unsigned ones below
 * 2^63: MPICH 4.0.2 compares them as signed ones); broadcast the first
 * rank's bytes; gather `bytes` of each rank. Only those that combine end on no rank before all
 * ranks have joined. */
int summand__ballot_or(MPI_Comm comm, uint64_t *words, int count);
int summand__ballot_least(MPI_Comm comm, int *numbers, int count);
int summand__ballot_lowest(MPI_Comm comm, uint64_t *words, int count);
int summand__ballot_tell(MPI_Comm comm, void *data, int bytes);
int summand__ballot_gather(MPI_Comm comm, const void *mine, void *all, int bytes);

/* Both at once, so ranks that wait for a processor wait once. */
int summand__ballot_gather_lowest(MPI_Comm comm, const void *mine, void *all, int bytes,
                                  uint64_t *words, int count);

/* Waits for one request in the same way; spins at first. After an error the request remains, and
 * the MPI may use its buffer. */
int summand__ballot_wait(MPI_Comm comm, MPI_Request *request);

/* The same with a watch of the caller's, also for agreements (plan/agree.h). Only this function
 * polls requests of MPI collectives. */
int summand__ballot_request(struct summand__watch *watch, MPI_Request *request,
                            bool oversubscribed);
