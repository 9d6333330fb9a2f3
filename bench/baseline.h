/* What the kernels are measured against: the loops a user would write.
 *
 * baseline_fast_*: gcc -O3 -march=native -ffast-math, so in any order and not reproducible.
 * baseline_plain_*: the same loops in the order of the source. Only these two translation units see
 * their flags; no program is linked with -ffast-math, which would set flush-to-zero for the whole
 * process. */
#ifndef SUMMAND_BENCH_BASELINE_H
#define SUMMAND_BENCH_BASELINE_H

#include <stddef.h>

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

#endif
