/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/gossip/interval.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RESAMPLES = 1000 };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double summand__quantile(double *values, int n, double q)
{
    qsort(values, (size_t)n, sizeof *values, compare);
    double at = q * (n - 1);
    int below = (int)at;
    return below + 1 < n ? values[below] + (at - below) * (values[below + 1] - values[below])
                         : values[n - 1];
}

static double quantile_of(const double *values, int n, double q)
{
    double sorted[SUMMAND__INTERVAL_MOST];
    memcpy(sorted, values, (size_t)n * sizeof *sorted);
    return summand__quantile(sorted, n, q);
}

static double resampled(const double *values, int n, double q, struct summand__random *random)
{
    double drawn[SUMMAND__INTERVAL_MOST];
    for (int k = 0; k < n; k++)
        drawn[k] = values[summand__random_below(random, (uint64_t)n)];
    return summand__quantile(drawn, n, q);
}

struct summand__interval summand__interval_of_quantile(const double *values, int n, double q,
                                                       uint64_t seed)
{
    double draws[RESAMPLES];
    struct summand__random random = {summand__stream(seed, 0x71756174u)};
    if (n < 1 || n > SUMMAND__INTERVAL_MOST)
        return (struct summand__interval){NAN, NAN, NAN};
    const double middle = quantile_of(values, n, q);
    if (n < SUMMAND__INTERVAL_LEAST)
        return (struct summand__interval){middle, NAN, NAN};
    for (int k = 0; k < RESAMPLES; k++)
        draws[k] = resampled(values, n, q, &random);
    double low = summand__quantile(draws, RESAMPLES, 0.025);
    return (struct summand__interval){middle, low, summand__quantile(draws, RESAMPLES, 0.975)};
}

struct summand__interval summand__interval_of_difference(const double *a, int n, const double *b,
                                                         int m, uint64_t seed)
{
    double draws[RESAMPLES];
    struct summand__random random = {summand__stream(seed, 0x626f6f74u)};
    if (n < 1 || m < 1 || n > SUMMAND__INTERVAL_MOST || m > SUMMAND__INTERVAL_MOST)
        return (struct summand__interval){NAN, NAN, NAN};
    if (n < SUMMAND__INTERVAL_LEAST || (m < SUMMAND__INTERVAL_LEAST && m > 1))
        return (struct summand__interval){quantile_of(a, n, 0.5) - quantile_of(b, m, 0.5), NAN,
                                          NAN};
    for (int k = 0; k < RESAMPLES; k++) {
        double first = resampled(a, n, 0.5, &random);
        draws[k] = first - resampled(b, m, 0.5, &random);
    }
    double low = summand__quantile(draws, RESAMPLES, 0.025);
    double high = summand__quantile(draws, RESAMPLES, 0.975);
    return (struct summand__interval){quantile_of(a, n, 0.5) - quantile_of(b, m, 0.5), low, high};
}

/* For many values, without drawing: the two that bound the median in sorted order (binomial). */
static struct summand__interval interval_of_order(const double *values, int n)
{
    struct summand__interval i = {NAN, NAN, NAN};
    double *sorted = malloc((size_t)n * sizeof *sorted), half = 1.96 * sqrt(n) / 2;
    if (!sorted)
        return i;
    memcpy(sorted, values, (size_t)n * sizeof *sorted);
    i.middle = summand__quantile(sorted, n, 0.5);
    i.low = sorted[(int)(n / 2.0 - half)];
    i.high = sorted[(int)ceil(n / 2.0 + half)];
    free(sorted);
    return i;
}

struct summand__interval summand__interval_of_median(const double *values, int n, uint64_t seed)
{
    static const double none[1];
    return n > SUMMAND__INTERVAL_MOST ? interval_of_order(values, n)
                                      : summand__interval_of_difference(values, n, none, 1, seed);
}

struct summand__interval summand__interval_of_share(int k, int n)
{
    const double z = 1.96;
    if (n < 1)
        return (struct summand__interval){NAN, NAN, NAN};
    double share = (double)k / n, by = 1 + z * z / n, middle = (share + z * z / (2 * n)) / by;
    double half = z / by * sqrt(share * (1 - share) / n + z * z / (4.0 * n * n));
    return (struct summand__interval){share, k > 0 ? fmax(0, middle - half) : 0,
                                      k < n ? fmin(1, middle + half) : 1};
}

double summand__interval_student(int freedom)
{
    static const double few[] = {INFINITY, 12.7062, 4.3027, 3.1824, 2.7764,
                                 2.5706,   2.4469,  2.3646, 2.3060, 2.2622};
    if (freedom < (int)(sizeof few / sizeof *few))
        return few[freedom > 0 ? freedom : 0];
    double z = 1.959964, q = z * z, v = 1.0 / freedom;
    return z * (1 + v * ((q + 1) / 4 + v * ((5 * q * q + 16 * q + 3) / 96 +
                                            v * (3 * q * q * q + 19 * q * q + 17 * q - 15) / 384)));
}

struct summand__interval summand__interval_of_mean(const double *values, int n)
{
    double mean = 0, squares = 0;
    for (int k = 0; k < n; k++)
        mean += values[k] / n;
    for (int k = 0; k < n; k++)
        squares += (values[k] - mean) * (values[k] - mean);
    double error = n > 1 ? summand__interval_student(n - 1) * sqrt(squares / (n - 1) / n) : 0;
    return (struct summand__interval){mean, mean - error, mean + error};
}
