/* SPDX-License-Identifier: BSD-3-Clause */
/* Activations against those of the mathematical library, over all magnitudes: within a few units in
 * the last place in both types, monotone at the ends, NaNs stay NaN. A vector has the bits of its
 * elements computed one by one. */
#include <math.h>

#include "matrix/activation.h"
#include "unit/unit.h"

static double oracle(int activation, double x)
{
    switch (activation) {
    case SUMMAND__SIGMOID:
        return 1 / (1 + exp(-x));
    case SUMMAND__TANH:
        return tanh(x);
    case SUMMAND__RELU:
        return x < 0 ? 0 : x;
    default:
        return x;
    }
}

/* Error in units in the last place of the oracle. If the oracle is below `least`, any number below
 * `least` is accepted. */
static double units(double got, double want, double epsilon, double least)
{
    if (fabs(want) < least)
        return fabs(got) < 2 * least ? 0 : (double)INFINITY;
    return fabs(got - want) / (fabs(want) * epsilon);
}

TEST(magnitudes)
{
    for (int a = 0; a < SUMMAND__ACTIVATIONS; a++) {
        double worst64 = 0, worst32 = 0;
        for (double e = -30; e < 9.4; e += 0.0009)
            for (int sign = -1; sign <= 1; sign += 2) {
                double x = sign * exp2(e), x64 = x;
                float x32 = (float)x;
                double want = oracle(a, x), want32 = oracle(a, (double)x32);
                summand__activations[a].f64(1, &x64);
                summand__activations[a].f32(1, &x32);
                double u64 = units(x64, want, 0x1p-52, 0x1p-1000);
                double u32 = units((double)x32, want32, 0x1p-23, 0x1p-120);
                worst64 = u64 > worst64 ? u64 : worst64;
                worst32 = u32 > worst32 ? u32 : worst32;
            }
        print_message("%-8s %.2f units of a double, %.2f of a float\n",
                      summand__activations[a].name, worst64, worst32);
        assert_true(worst64 <= (a == SUMMAND__TANH || a == SUMMAND__SIGMOID ? 4 : 0));
        assert_true(worst32 <= (a == SUMMAND__TANH || a == SUMMAND__SIGMOID ? 4 : 0));
    }
}

TEST(ends)
{
    static const double at[] = {INFINITY, -INFINITY, NAN, 0, 800, -800};
    for (int a = 0; a < SUMMAND__ACTIVATIONS; a++)
        for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
            double x = at[i], want = oracle(a, x);
            float y = (float)x;
            summand__activations[a].f64(1, &x);
            summand__activations[a].f32(1, &y);
            assert_true(isnan(want) ? isnan(x) && isnan(y) : x == want && (double)y == want);
        }
}

TEST(vectors)
{
    enum { N = 257 };
    for (int a = 0; a < SUMMAND__ACTIVATIONS; a++) {
        double x[N], alone[N];
        float y[N], single[N];
        for (int i = 0; i < N; i++) {
            x[i] = alone[i] = (i - 128) * 0.137 * exp2(i % 7 - 3);
            y[i] = single[i] = (float)x[i];
        }
        summand__activations[a].f64(N, x);
        summand__activations[a].f32(N, y);
        for (int i = 0; i < N; i++) {
            summand__activations[a].f64(1, &alone[i]);
            summand__activations[a].f32(1, &single[i]);
        }
        assert_memory_equal(x, alone, sizeof x);
        assert_memory_equal(y, single, sizeof y);
    }
}
