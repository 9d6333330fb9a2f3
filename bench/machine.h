/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of this machine. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

/* Sums fetch ahead as this machine's calibration says, if one is kept
 * (`mpirun -np 2 summand tune --calibrate`); prints how. */
void bench_prefetch_as_calibrated(void);

#endif
