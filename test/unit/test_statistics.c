/* SPDX-License-Identifier: BSD-3-Clause */
/* Intervals of the median and the rank sum test, against published values. */
#include <math.h>

#include "bench/measure.h"
#include "bench/rank_sum.h"
#include "unit/unit.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static void assert_near(double value, double expected, double off)
{
    if (!(fabs(value - expected) <= off))
        fail_msg("%.17g is not %.17g", value, expected);
}

/* Nonparametric intervals of the median, at least 95 %: the places that textbooks print (Conover,
 * Practical Nonparametric Statistics, 3.2; Hahn and Meeker, Statistical Intervals, table A.15). */
TEST(median_places)
{
    const struct {
        int n, low; /* the interval is [value number low, value number n + 1 - low] */
    } printed[] = {{6, 1}, {8, 1}, {9, 2}, {10, 2}, {15, 4}, {20, 6}, {25, 8}, {50, 18}, {100, 40}};
    for (int i = 0; i < COUNT(printed); i++)
        assert_int_equal(measure_enclosing_rank(printed[i].n) + 1, printed[i].low);
}

/* The sum of binomial terms, in integers: at least 95 % inside, and one place less is not enough.
 * */
TEST(median_coverage)
{
    for (int n = 6; n <= 60; n++) {
        uint64_t term = 1, outside = 0, all = (uint64_t)1 << n;
        int low = measure_enclosing_rank(n);
        for (int i = 0; i <= low; i++) {
            outside += term;
            term = term / (uint64_t)(i + 1) * (uint64_t)(n - i) +
                   term % (uint64_t)(i + 1) * (uint64_t)(n - i) / (uint64_t)(i + 1);
        }
        assert_true(2.0 * (double)outside <= 0.05 * (double)all);
        assert_true(2.0 * (double)(outside + term) > 0.05 * (double)all);
    }
    /* The approximation continues from the exact places. */
    assert_true(measure_enclosing_rank(1001) - measure_enclosing_rank(1000) <= 1);
    assert_true(measure_enclosing_rank(1001) >= measure_enclosing_rank(1000));
}

TEST(median_of_values)
{
    double values[10] = {5, 3, 9, 1, 7, 10, 2, 8, 6, 4};
    struct measure_interval interval = measure_median(values, 10);
    assert_near(interval.median, 5.5, 0);
    assert_near(interval.low, 2, 0);
    assert_near(interval.high, 9, 0);
    interval = measure_median(values, 3);
    assert_near(interval.median, 5, 0);
    assert_near(interval.low, 3, 0);
    assert_near(interval.high, 9, 0);
    interval = measure_median(values, 1);
    assert_near(interval.low, 5, 0);
    assert_near(interval.high, 5, 0);
    assert_near(measure_quantile(values, 10, 0.99), 10, 0);
    assert_near(measure_quantile(values, 10, 0.5), 5, 0);
    assert_near(measure_quantile(values, 1, 0.99), 5, 0);
    /* Values that are no numbers are left out, on either side of a ratio. */
    values[1] = values[4] = NAN; /* 5, 9, 1, 10, 2, 8, 6, 4 are left */
    interval = measure_median(values, 10);
    assert_near(interval.median, 5.5, 0);
    assert_near(interval.low, 1, 0);
    assert_near(interval.high, 10, 0);
    assert_near(measure_quantile(values, 10, 1), 10, 0);
    const double two[3] = {2, NAN, 8}, ones[3] = {1, 1, 2};
    assert_near(measure_ratio(two, ones, 3).median, 3, 0);
    assert_near(measure_ratio(ones, two, 3).median, 0.375, 0);
    assert_true(isnan(measure_median(two + 1, 1).median));
    assert_true(isnan(measure_quantile(two + 1, 1, 0.5)));
}

/* SciPy's manual of mannwhitneyu: U = 17, p = 0.11134688653314041 by the normal approximation. */
TEST(rank_sum_printed)
{
    const double males[] = {19, 22, 16, 29, 24}, females[] = {20, 11, 17, 12};
    struct rank_sum test = rank_sum_test(males, 5, females, 4);
    assert_near(test.u, 17, 0);
    assert_near(test.p, 0.11134688653314041, 1e-12);
    test = rank_sum_test(females, 4, males, 5);
    assert_near(test.u, 3, 0);
    assert_near(test.p, 0.11134688653314041, 1e-12);
    /* Hollander and Wolfe 1973, permeability of membranes, as in R's manual of wilcox.test: W = 35,
     * exact p = 0.2544; the approximation is within a hundredth. */
    const double term[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
    const double early[] = {1.15, 0.88, 0.90, 0.74, 1.21};
    test = rank_sum_test(term, 10, early, 5);
    assert_near(test.u, 35, 0);
    assert_near(test.p, 0.2544, 0.01);
    assert_near(test.superior, 0.7, 1e-15);
}

/* p against the exact distribution, counted over all assignments of the values; half of the values
 * are ties. For such sizes the approximation is known to be good to about a hundredth. */
TEST(rank_sum_counted)
{
    const double pool[14] = {1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 10};
    const double asked_p[] = {0.01, 0.05, 0.2, 0.6};
    enum { N = 14, A = 7 };
    double u[3432];
    int deals = 0;
    for (unsigned mask = 0; mask < 1u << N; mask++) {
        double a[N], b[N];
        int n = 0, m = 0;
        for (int i = 0; i < N; i++)
            *(mask >> i & 1 ? &a[n++] : &b[m++]) = pool[i];
        if (n == A)
            u[deals++] = rank_sum_test(a, A, b, A).u;
        (void)m;
    }
    assert_int_equal(deals, 3432);
    for (int k = 0; k < COUNT(asked_p); k++) {
        /* The assignment whose exact p is nearest to the requested one. */
        double reach = measure_quantile(u, deals, 1 - asked_p[k] / 2), beyond = 0;
        for (int d = 0; d < deals; d++)
            beyond += fabs(u[d] - A * A / 2.0) >= fabs(reach - A * A / 2.0);
        for (unsigned mask = 0; mask < 1u << N; mask++) {
            double a[N], b[N];
            int n = 0, m = 0;
            for (int i = 0; i < N; i++)
                *(mask >> i & 1 ? &a[n++] : &b[m++]) = pool[i];
            if (n != A || rank_sum_test(a, A, b, A).u != reach)
                continue;
            assert_near(rank_sum_test(a, A, b, A).p, beyond / deals, 0.015);
            break;
        }
    }
}

TEST(rank_sum_edges)
{
    const double same[] = {2, 2, 2, 2}, one[] = {1};
    assert_near(rank_sum_test(same, 4, same, 4).p, 1, 0);
    assert_near(rank_sum_test(same, 4, same, 4).u, 8, 0);
    assert_near(rank_sum_test(one, 1, one, 1).p, 1, 0);
    double low[200], high[200];
    for (int i = 0; i < 200; i++) {
        low[i] = i;
        high[i] = 1000 + i;
    }
    assert_true(rank_sum_test(low, 200, high, 200).p < 1e-50);
    assert_near(rank_sum_test(low, 200, high, 200).superior, 0, 0);
}
