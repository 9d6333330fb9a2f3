/* SPDX-License-Identifier: BSD-3-Clause */
/* Computations of a schedule that take simulated time, for programs under SimGrid's simulated
 * MPI. */
#pragma once

#include <stdbool.h>

#include "schedule/compute.h"

/* Seconds for an operation, and for a byte that is read or written. */
struct scale_speed {
    double flop, byte;
};

/* From now on each computation of the schedule sleeps for the time of its operations, or of its
 * bytes if that is longer. It also computes if `computes`; else nothing touches its operands. False
 * if the schedules of this process have more than 16 kernels. */
bool scale_sleepers(struct summand__schedule *schedule, struct scale_speed speed, bool computes);
