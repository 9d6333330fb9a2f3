/* SPDX-License-Identifier: BSD-3-Clause */
/* The baseline loops for sums: one for each instruction set, all with the same sums but for
 * rounding. The loop that runs is the best one of this processor. */
#include <math.h>

#include "bench/baseline.h"
#include "unit/unit.h"

enum { N = 1003 };

static void alike(double got, double wanted)
{
    assert_true(fabs(got - wanted) <= 1e-4 * fabs(wanted));
}

TEST(every_instruction_set)
{
    double x[N], y[N];
    float u[N], v[N];
    int tried = 0;
    for (int i = 0; i < N; i++) {
        x[i] = (i % 3 ? 1 : -1) * (1 + i / 7.0);
        y[i] = 2 + i % 5;
        u[i] = (float)x[i];
        v[i] = (float)y[i];
    }
    for (int arch = 0; arch < SUMMAND__ARCHS; arch++) {
        const struct baseline_loops *loops = baseline_fast((enum summand__arch)arch);
        if (!summand__arch_supported((enum summand__arch)arch))
            continue;
        assert_non_null(loops);
        alike(loops->sum_f64(x, N), baseline_plain_sum_f64(x, N));
        alike(loops->asum_f64(x, N), baseline_plain_asum_f64(x, N));
        alike(loops->squares_f64(x, N), baseline_plain_squares_f64(x, N));
        alike(loops->dot_f64(x, y, N), baseline_plain_dot_f64(x, y, N));
        alike((double)loops->sum_f32(u, N), baseline_plain_sum_f64(x, N));
        alike((double)loops->asum_f32(u, N), baseline_plain_asum_f64(x, N));
        alike((double)loops->squares_f32(u, N), baseline_plain_squares_f64(x, N));
        alike((double)loops->dot_f32(u, v, N), baseline_plain_dot_f64(x, y, N));
        assert_true((int)baseline_arch() >= arch);
        tried++;
    }
    assert_true(tried > 0);
    assert_true(summand__arch_supported(baseline_arch()));
    assert_true(baseline_fast_sum_f64(x, N) == baseline_fast(baseline_arch())->sum_f64(x, N));
}
