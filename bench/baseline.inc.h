/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops of baseline.h; BASELINE(name) names them. Compiled with different flags. */
#include <math.h>

#include "bench/baseline_loops.h"

#define LOOP_OVER_ONE(name, T, term)                                                               \
    BASELINE_STORAGE T BASELINE(name)(const T *x, size_t n)                                        \
    {                                                                                              \
        T sum = 0;                                                                                 \
        for (size_t i = 0; i < n; i++)                                                             \
            sum += term;                                                                           \
        return sum;                                                                                \
    }
#define LOOP_OVER_TWO(name, T, term)                                                               \
    BASELINE_STORAGE T BASELINE(name)(const T *x, const T *y, size_t n)                            \
    {                                                                                              \
        T sum = 0;                                                                                 \
        for (size_t i = 0; i < n; i++)                                                             \
            sum += term;                                                                           \
        return sum;                                                                                \
    }

LOOP_OVER_ONE(sum_f64, double, x[i])
LOOP_OVER_ONE(asum_f64, double, fabs(x[i]))
LOOP_OVER_ONE(squares_f64, double, x[i] * x[i])
LOOP_OVER_TWO(dot_f64, double, x[i] * y[i])
LOOP_OVER_ONE(sum_f32, float, x[i])
LOOP_OVER_ONE(asum_f32, float, fabsf(x[i]))
LOOP_OVER_ONE(squares_f32, float, x[i] * x[i])
LOOP_OVER_TWO(dot_f32, float, x[i] * y[i])

#define BASELINE_LOOPS                                                                             \
    {                                                                                              \
        BASELINE(sum_f64), BASELINE(asum_f64), BASELINE(squares_f64), BASELINE(dot_f64),           \
            BASELINE(sum_f32), BASELINE(asum_f32), BASELINE(squares_f32), BASELINE(dot_f32)        \
    }
