/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops a user would write, against which the kernels are measured.
 *
 * baseline_fast_*: gcc -O3 -ffast-math, so in any order and not reproducible. They are compiled
 * once per instruction set, and the best one of the processor runs, whatever SUMMAND_ARCH says.
 * With -march=native, a command built here would end by SIGILL elsewhere. baseline_plain_*: the
 * same loops in the order of the source. Only these translation units get their flags. No program
 * is linked with -ffast-math, which would set flush-to-zero for the whole process. */
#pragma once

#include <stddef.h>

#include "bench/baseline_loops.h"
#include "kernel/arch.h"

/* The best instruction set of this processor. */
enum summand__arch baseline_arch(void);

/* The loops for one instruction set; NULL if this build has none. */
const struct baseline_loops *baseline_fast(enum summand__arch arch);

double baseline_fast_sum_f64(const double *x, size_t n);
double baseline_fast_asum_f64(const double *x, size_t n);
double baseline_fast_squares_f64(const double *x, size_t n);
double baseline_fast_dot_f64(const double *x, const double *y, size_t n);
float baseline_fast_sum_f32(const float *x, size_t n);
float baseline_fast_asum_f32(const float *x, size_t n);
float baseline_fast_squares_f32(const float *x, size_t n);
float baseline_fast_dot_f32(const float *x, const float *y, size_t n);

double baseline_plain_sum_f64(const double *x, size_t n);
double baseline_plain_asum_f64(const double *x, size_t n);
double baseline_plain_squares_f64(const double *x, size_t n);
double baseline_plain_dot_f64(const double *x, const double *y, size_t n);
float baseline_plain_sum_f32(const float *x, size_t n);
float baseline_plain_asum_f32(const float *x, size_t n);
float baseline_plain_squares_f32(const float *x, size_t n);
float baseline_plain_dot_f32(const float *x, const float *y, size_t n);
