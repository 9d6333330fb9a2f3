/* SPDX-License-Identifier: BSD-3-Clause */
/* Bootstrap intervals (Efron, 1979; percentiles) of medians and other quantiles. */
#pragma once

#include <stdint.h>

struct summand__interval {
    double middle, low, high; /* 95 % */
};

/* Fewer than SUMMAND__INTERVAL_LEAST values have no two that bound the median with 95 %: low and
 * high are NaN. All are NaN when out of memory. */
enum { SUMMAND__INTERVAL_MOST = 1024, SUMMAND__INTERVAL_LEAST = 6 };
/* Of the median of n values. */
struct summand__interval summand__interval_of_median(const double *values, int n, uint64_t seed);
/* Of quantile q of at most SUMMAND__INTERVAL_MOST values; for more all are NaN. */
struct summand__interval summand__interval_of_quantile(const double *values, int n, double q,
                                                       uint64_t seed);
/* Of the median of a minus the median of b, each of at most SUMMAND__INTERVAL_MOST. */
struct summand__interval summand__interval_of_difference(const double *a, int n, const double *b,
                                                         int m, uint64_t seed);
/* Of a share, from k successes in n (Wilson, 1927). */
struct summand__interval summand__interval_of_share(int k, int n);
/* Half of a 95 % interval of a mean, in standard errors with `freedom` degrees of freedom (Student,
 * 1908). Accurate to 2e-4, by a table and the expansion of Fisher (1926). Infinite for none. */
double summand__interval_student(int freedom);
/* Of the mean, from the values' deviation; a single value is its own interval. */
struct summand__interval summand__interval_of_mean(const double *values, int n);

/* Quantile q of n values, which it sorts. */
double summand__quantile(double *values, int n, double q);
