/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops of baseline.h as a table. Apart from it, as kernel/arch.h refuses -ffast-math. */
#pragma once

#include <stddef.h>

struct baseline_loops {
    double (*sum_f64)(const double *x, size_t n);
    double (*asum_f64)(const double *x, size_t n);
    double (*squares_f64)(const double *x, size_t n);
    double (*dot_f64)(const double *x, const double *y, size_t n);
    float (*sum_f32)(const float *x, size_t n);
    float (*asum_f32)(const float *x, size_t n);
    float (*squares_f32)(const float *x, size_t n);
    float (*dot_f32)(const float *x, const float *y, size_t n);
};
extern const struct baseline_loops baseline_fast_generic, baseline_fast_avx2, baseline_fast_avx512,
    baseline_fast_neon;
