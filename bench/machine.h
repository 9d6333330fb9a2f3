/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings from the measurements of this machine. */
#pragma once

/* Sets the prefetch of sums from this machine's calibration, if there is one (`mpirun -np 2 summand
 * tune --calibrate`); prints it. */
void bench_prefetch_as_calibrated(void);
