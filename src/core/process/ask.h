/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks the MPI about an operator or a datatype, by a call that moves nothing, on a communicator of
 * this process alone. (MPI_Reduce_local would raise errors on the program's communicators.) Local;
 * some 20 ns. */
#pragma once

#include <mpi.h>

/* MPI_SUCCESS, or the MPI's error of a reduction: MPI_ERR_OP if the operator is not defined for the
 * datatype, MPI_ERR_TYPE if that is not committed. Returns `otherwise` if the MPI has no
 * communicator left. */
int summand__ask_reduction(MPI_Op op, MPI_Datatype datatype, int otherwise);

/* The same for a message of the datatype; of `count` it matters only if it is 0. */
int summand__ask_message(MPI_Datatype datatype, MPI_Count count);
