/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <mpi.h>

/* Makes a communicator of the ranks that may share memory, in the order of `comm`. Collective over
 * `comm`. Returns an MPI error code; after an error `*node` is MPI_COMM_NULL on this rank. */
int summand__node_split(MPI_Comm comm, MPI_Comm *node);
