/* SPDX-License-Identifier: BSD-3-Clause */
/* Which messages of a fabric are read in their senders' memory. */
#ifndef SUMMAND_FABRIC_READS_H
#define SUMMAND_FABRIC_READS_H

#include "fabric/fabric.h"

/* Collective over `node`: where SUMMAND_DIRECT_READ or the calibration has messages read, whether
 * the kernel lets all ranks of the node do so. Sets the fabric's processes, read_from, read_end and
 * reads_refused. An MPI error code. */
int summand__reads_try(struct summand__fabric *fabric, MPI_Comm node);

/* Local: rank 0 of MPI_COMM_WORLD says once that reads were asked for and are refused. */
void summand__reads_warn(const struct summand__fabric *fabric);

#endif
