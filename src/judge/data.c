/* SPDX-License-Identifier: BSD-3-Clause */
#include "judge/data.h"

#include <math.h>

#include "base/random.h"

uint64_t summand__judge_below(uint64_t seed, uint64_t index, uint64_t n)
{
    return summand__random_at(seed, index) % n;
}

/* In [1, 2), with all 52 bits. */
static double mantissa(uint64_t seed, uint64_t index)
{
    return 1 + (double)(summand__random_at(seed, index) >> 12) * 0x1p-52;
}

static double sign(uint64_t seed, uint64_t index)
{
    return summand__random_at(~seed, index) & 1 ? -1 : 1;
}

static void uniform(double *x, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        x[i] = mantissa(seed, i) - 1;
}

/* Exponents over a range of powers of two, both signs. */
static void spread(double *x, size_t n, uint64_t seed, int lowest, int highest)
{
    const uint64_t width = (uint64_t)(highest - lowest + 1);
    for (size_t i = 0; i < n; i++)
        x[i] = sign(seed, i) *
               ldexp(mantissa(seed, i), lowest + (int)summand__judge_below(seed + 1, i, width));
}

static void decades_10(double *x, size_t n, uint64_t seed)
{
    spread(x, n, seed, -17, 16);
}

static void decades_100(double *x, size_t n, uint64_t seed)
{
    spread(x, n, seed, -166, 166);
}

static void decades_600(double *x, size_t n, uint64_t seed)
{
    spread(x, n, seed, -1022, 970);
}

static void shuffle(double *x, size_t n, uint64_t seed)
{
    for (size_t i = n; i > 1; i--) {
        const size_t j = (size_t)summand__judge_below(seed + 2, i, i);
        const double kept = x[i - 1];
        x[i - 1] = x[j];
        x[j] = kept;
    }
}

/* Pairs x, -x, and one term far below. */
static void cancel(double *x, size_t n, uint64_t seed)
{
    spread(x, n, seed, -40, 40);
    for (size_t i = 0; i + 2 < n; i += 2)
        x[i + 1] = -x[i];
    x[n - 1] = 0x1.8p-60;
    if (n % 2 == 0)
        x[n - 2] = 0x1p-61;
    shuffle(x, n, seed);
}

/* 2^53 and an odd number of ones: the exact sum lies in the middle of two doubles; of an odd number
 * of terms, a little above the middle. */
static void ties(double *x, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        x[i] = 1;
    x[0] = 0x1p53;
    if (n % 2)
        x[1] = 0x1p-30;
    shuffle(x, n, seed);
}

static void subnormal(double *x, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        x[i] = sign(seed, i) * (double)(summand__random_at(seed, i) >> 24) * 0x1p-1074;
}

/* Terms of up to 1e308 and then their opposites: partial sums overflow. The sum is 1, or
 * 4 of an even number of terms. */
static void overflow(double *x, size_t n, uint64_t seed)
{
    const size_t half = n / 2;
    for (size_t i = 0; i < half; i++) {
        x[i] = ldexp(mantissa(seed, i), 1022);
        x[half + i] = -x[i];
    }
    x[n - 1] = 1;
    if (n % 2 == 0)
        x[half - 1] = 3;
}

static void infinite(double *x, size_t n, uint64_t seed)
{
    spread(x, n, seed, -20, 20);
    x[n / 3] = INFINITY;
}

static void both_infinite(double *x, size_t n, uint64_t seed)
{
    infinite(x, n, seed);
    x[n - 2] = -INFINITY;
}

static void not_a_number(double *x, size_t n, uint64_t seed)
{
    spread(x, n, seed, -20, 20);
    x[n - 1 - n / 3] = NAN;
}

static void minus_zero(double *x, size_t n, uint64_t seed)
{
    (void)seed;
    for (size_t i = 0; i < n; i++)
        x[i] = -0.0;
}

static void one_huge(double *x, size_t n, uint64_t seed)
{
    uniform(x, n, seed);
    x[summand__judge_below(seed, n, n)] = 0x1.fffffffffffffp60;
}

/* The alternating harmonic series: 0.69 in the limit. */
static void alternating(double *x, size_t n, uint64_t seed)
{
    (void)seed;
    for (size_t i = 0; i < n; i++)
        x[i] = (i % 2 ? -1.0 : 1.0) / (double)(i + 1);
}

/* Of sites of an alignment: negative, from -1 to some -150, most of them small. */
static void log_likelihoods(double *x, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        const double u = mantissa(seed, i) - 1, square = u * u;
        x[i] = -1.05 - 6 * u - 140 * square * square * square * square;
    }
}

/* Temperatures of cells; land is masked with zeros, and a model's fill value was left in two cells,
 * with either sign. */
static void masked(double *x, size_t n, uint64_t seed)
{
    const double fill = 0x1.ep122; /* 9.97e36, as NetCDF has it */
    for (size_t i = 0; i < n; i++)
        x[i] = summand__judge_below(seed + 3, i, 3) ? 240 + 80 * (mantissa(seed, i) - 1) : 0;
    x[n / 4] = fill;
    x[n - 1 - n / 4] = -fill;
}

static void integers(double *x, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        x[i] = sign(seed, i) * (0x1p53 - (double)summand__judge_below(seed, i, 1000));
}

const struct summand__judge_data summand__judge_data[] = {
    {"uniform", "numbers in [0, 1)", uniform},
    {"likelihoods", "log-likelihoods of sites", log_likelihoods},
    {"alternating", "the alternating harmonic series", alternating},
    {"integers", "integers near 2^53, both signs", integers},
    {"masked", "a field with masks and two fill values", masked},
    {"huge", "one huge term, many small ones", one_huge},
    {"decades-10", "magnitudes over 10 decades", decades_10},
    {"decades-100", "magnitudes over 100 decades", decades_100},
    {"decades-600", "magnitudes over 600 decades", decades_600},
    {"cancel", "pairs that cancel to the last bit", cancel},
    {"ties", "an exact sum between two doubles", ties},
    {"subnormal", "numbers below 2^-1022", subnormal},
    {"overflow", "partial sums overflow, the sum does not", overflow},
    {"infinity", "one infinity", infinite},
    {"infinities", "two infinities of opposite signs", both_infinite},
    {"nan", "one NaN", not_a_number},
    {"minus-zero", "-0.0 alone", minus_zero},
    {0}};
