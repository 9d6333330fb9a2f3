/* SPDX-License-Identifier: BSD-3-Clause */
/* Identifies the machine, because measurements of one machine do not hold on another. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* True for MPICH and for MPIs made of it. The header does not tell: that of the standard ABI is the
 * same for all MPIs. */
bool summand__mpi_derives_from_mpich(void);

/* Name and version of the MPI, such as "Open MPI v4.1.4". MPI need not be initialized. */
void summand__mpi_name(char *text, size_t room);

/* Processor, processors per node and MPI of this process, in one line. Without the host, because a
 * cluster has many equal ones, and without anything that differs between calls. */
void summand__machine_text(char *text, size_t room);
