/* SPDX-License-Identifier: BSD-3-Clause */
/* Time on a simulated cluster (SimGrid's SMPI), where there is one clock and computing takes
 * none. */
#pragma once

#include <mpi.h>
#include <stdbool.h>

bool scale_is_simulated(void);

/* Lets time pass; in a simulation no processor is busy meanwhile. */
void scale_sleep(double seconds);

/* Waits a second if simulated, which costs nothing there. So traffic of set-up ends before the case
 * begins, and the case ends before its statistics. */
void scale_settle(void);

/* All ranks leave at one time, which is exact in a simulation. Collective. */
void scale_start_together(MPI_Comm comm);
