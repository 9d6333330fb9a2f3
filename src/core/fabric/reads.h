/* SPDX-License-Identifier: BSD-3-Clause */
/* The lengths of messages that a fabric reads in their senders' memory. */
#pragma once

#include "fabric/fabric.h"

/* Collective over `node`: if SUMMAND_DIRECT_READ asks for reads, tests that the kernel allows them
 * on all ranks of the node. Sets the fabric's processes, read_from and reads_refused. Returns an
 * MPI error code. */
int summand__reads_try(struct summand__fabric *fabric, MPI_Comm node);

/* Local: rank 0 of MPI_COMM_WORLD warns once if requested reads are refused. */
void summand__reads_warn(const struct summand__fabric *fabric);
