/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <mpi.h>
#include <stdbool.h>

/* `within`: if all members, of an inter-communicator in both groups, are ranks of this
 * MPI_COMM_WORLD. Others may run without the shim, or with other settings. An MPI error code. */
int shim_is_within_world(MPI_Comm comm, bool inter, bool *within);
