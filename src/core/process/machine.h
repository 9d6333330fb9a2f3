/* SPDX-License-Identifier: BSD-3-Clause */
/* What is measured on one machine does not hold on another: how one is told from another. */
#ifndef SUMMAND_PROCESS_MACHINE_H
#define SUMMAND_PROCESS_MACHINE_H

#include <stddef.h>

/* Name and version of the MPI, such as "Open MPI v4.1.4". MPI need not be initialised. */
void summand__mpi_name(char *text, size_t room);

/* Processor, processors per node and MPI of this process, in one line. Neither the host, of which a
 * cluster has many alike, nor what differs between calls. */
void summand__machine_text(char *text, size_t room);

#endif
