/* The one collective of a communicator's first use. */
#ifndef SUMMAND_COMM_FABRIC_BALLOT_H
#define SUMMAND_COMM_FABRIC_BALLOT_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Collective: joins the ranks' words by MPI_BAND, in place. While it waits it moves this thread's
 * started plans on, as other ranks may wait for one of these first. It says where it is stuck
 * (SUMMAND_STALL), and ends with SUMMAND_ERR_TIMEOUT after SUMMAND_TIMEOUT: then other ranks may
 * still take this rank's words for given. `oversubscribed`: more ranks than processors. An MPI
 * error code.
 */
int summand__ballot(MPI_Comm comm, uint64_t *words, int count, bool oversubscribed);

/* How plans are moved on; by whoever starts the first one. */
void summand__ballot_moves(void (*move)(void));

#endif
