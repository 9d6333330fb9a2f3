/* SPDX-License-Identifier: BSD-3-Clause */
/* Many exact sums side by side, each as an unevaluated sum of two doubles.
 *
 * Two such pairs add up to a pair and two rests, exactly, by error-free additions (Knuth 1969). The
 * rests are zero unless the sum needs more than the digits of two doubles. All lanes do the same,
 * so vectors go across the sums. Every instruction set gives the same bits.
 *
 * The caller has set the default floating-point environment (kernel/fpenv.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/arch.h"

enum { SUMMAND__PAIRS_MOST = 64 /* that are added together */ };

struct summand__pairs {
    _Alignas(64) double hi[SUMMAND__PAIRS_MOST], lo[SUMMAND__PAIRS_MOST];
    double rest[2][SUMMAND__PAIRS_MOST];
};

struct summand__pairs_kernels {
    /* b = a + b for n pairs, at most PAIRS_MOST; |lo| may exceed |hi|. False: some sum has a rest
     * that is not zero, or is not finite; then its first rest is a NaN, as after an overflow. All
     * sums and rests are then in `sum`, and b is unchanged. Cost: 42 additions for a vector of
     * pairs. */
    bool (*add)(const double *hi_a, const double *lo_a, double *hi_b, double *lo_b,
                struct summand__pairs *sum, size_t n);
    /* rounded[i] = hi[i] + lo[i], +0.0 for every zero; false if any is not finite. `rounded` need
     * not be aligned. */
    bool (*round)(const double *hi, const double *lo, void *rounded, size_t n);
};

/* The table of summand__arch(). */
const struct summand__pairs_kernels *summand__pairs_kernels(void);

extern const struct summand__pairs_kernels summand__pairs_generic;
extern const struct summand__pairs_kernels summand__pairs_avx2;
extern const struct summand__pairs_kernels summand__pairs_avx512;
extern const struct summand__pairs_kernels summand__pairs_neon;
