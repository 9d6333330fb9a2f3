/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the MPI has no communicators left, a fabric may use the private communicator of another one
 * that has all its ranks: with the tags of a context behind those of the lender. So between nodes
 * too it needs nothing of the MPI. What it shares with the lender is the communicator alone. */
#ifndef SUMMAND_COMM_FABRIC_LOAN_H
#define SUMMAND_COMM_FABRIC_LOAN_H

#include "comm/fabric/fabric.h"

/* Collective over `comm`, whose ranks have made `fabric` so far, of one id, with room for `peers`;
 * `scratch` has a place for each rank. Then `fabric->lender` is set on all of them, or, where no
 * fabric has all these ranks, on none. An MPI error code. Costs a broadcast and, for each fabric
 * that comes into question, a vote; more where other threads are at it too. */
int summand__loan_take(MPI_Comm comm, MPI_Group group, struct summand__fabric *fabric,
                       int *scratch);

#endif
