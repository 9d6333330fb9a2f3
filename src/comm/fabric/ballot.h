/* The collectives of a communicator's first use, one, or some more where its ranks make a fabric;
 * and of windows.
 * While they wait they move this thread's started plans on, as other ranks may wait for one of
 * these first. They say where they are stuck (SUMMAND_STALL), and end with SUMMAND_ERR_TIMEOUT
 * after SUMMAND_TIMEOUT: then other ranks may still take this rank's words for given, and the
 * communicator can be used no more. Results are undefined where the error code is not MPI_SUCCESS.
 */
#ifndef SUMMAND_COMM_FABRIC_BALLOT_H
#define SUMMAND_COMM_FABRIC_BALLOT_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

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

/* How plans are moved on; by whoever starts the first one. */
void summand__ballot_moves(void (*move)(void));

#endif
