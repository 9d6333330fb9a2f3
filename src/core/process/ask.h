/* SPDX-License-Identifier: BSD-3-Clause */
/* What the MPI says of an operator or a datatype: it is asked on a communicator of this process
 * alone, by a call that moves nothing. (MPI_Reduce_local would raise errors on the program's own
 * communicators.) Local; some 20 ns. */
#ifndef SUMMAND_PROCESS_ASK_H
#define SUMMAND_PROCESS_ASK_H

#include <mpi.h>

/* MPI_SUCCESS, or the MPI's error of a reduction: MPI_ERR_OP if the operator is not defined for
 * the datatype, MPI_ERR_TYPE if that is not committed. `otherwise` where the MPI has no
 * communicator left to be asked on. */
int summand__ask_reduction(MPI_Op op, MPI_Datatype datatype, int otherwise);

/* The same of a message of elements of the datatype; `count` matters only by whether it is 0. */
int summand__ask_message(MPI_Datatype datatype, MPI_Count count);

#endif
