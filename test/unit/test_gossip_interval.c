/* SPDX-License-Identifier: BSD-3-Clause */
/* Confidence intervals of the studies: their coverage is as stated, and too few values give no
 * interval. */
#include "base/random.h"
#include "lab/gossip/interval.h"
#include "unit/unit.h"
#include <math.h>

enum { TRIALS = 120 };

/* The ends of Wilson's interval are the shares p from which the observed share is 1.96 deviations
 * off. */
TEST(shares_are_wilsons)
{
    static const int seen[][2] = {{0, 100}, {26, 100}, {100, 100}, {3, 3200}, {1, 2}};
    for (size_t c = 0; c < sizeof seen / sizeof *seen; c++) {
        int n = seen[c][1];
        double share = (double)seen[c][0] / n;
        struct summand__interval i = summand__interval_of_share(seen[c][0], n);
        assert_true(i.middle == share && i.low <= share && i.high >= share);
        double ends[2] = {i.low, i.high};
        for (int e = 0; e < 2; e++) {
            double off = share - ends[e], deviation = ends[e] * (1 - ends[e]) / n;
            assert_true(fabs(off * off - 1.96 * 1.96 * deviation) < 1e-9);
        }
    }
    assert_true(summand__interval_of_share(0, 100).high > 0.03);
    assert_true(isnan(summand__interval_of_share(0, 0).middle));
}

/* By the tables of Student's distribution. */
TEST(means_of_few_are_less_certain)
{
    static const double table[][2] = {{1, 12.7062}, {4, 2.7764},  {5, 2.5706},  {6, 2.4469},
                                      {9, 2.2622},  {19, 2.0930}, {39, 2.0227}, {1000, 1.9623}};
    for (size_t c = 0; c < sizeof table / sizeof *table; c++)
        assert_true(fabs(summand__interval_student((int)table[c][0]) - table[c][1]) < 3e-4);
    assert_true(isinf(summand__interval_student(0)));
}

TEST(means_have_their_deviation)
{
    const double values[] = {1, 2, 3, 4};
    struct summand__interval i = summand__interval_of_mean(values, 4);
    double half = 3.1824 * sqrt(5.0 / 3 / 4);
    assert_true(fabs(i.middle - 2.5) < 1e-12 && fabs(i.high - 2.5 - half) < 1e-12);
    assert_true(fabs(2.5 - i.low - half) < 1e-12);
}

/* Skewed values whose median is log 2. */
static void draw(struct summand__random *random, double *values, int n, double shift)
{
    for (int k = 0; k < n; k++)
        values[k] = shift + summand__random_exponential(random);
}

static void expect_often(int held)
{
    assert_between(held, TRIALS * 88 / 100, TRIALS * 995 / 1000);
}

TEST(medians_are_held_as_often_as_said)
{
    static const int sizes[] = {12, 40, 3000};
    static double a[3000], b[60];
    struct summand__random random = {7};
    for (int s = 0; s < 3; s++) {
        int held = 0;
        for (int t = 0; t < TRIALS; t++) {
            draw(&random, a, sizes[s], 0);
            struct summand__interval i = summand__interval_of_median(a, sizes[s], (uint64_t)t);
            assert_true(i.low <= i.middle && i.middle <= i.high);
            held += i.low <= log(2) && i.high >= log(2);
        }
        expect_often(held);
    }
    int held = 0;
    for (int t = 0; t < TRIALS; t++) {
        draw(&random, a, 40, 3);
        draw(&random, b, 60, 0);
        struct summand__interval i = summand__interval_of_difference(a, 40, b, 60, (uint64_t)t);
        assert_true(i.low > 0);
        held += i.low <= 3 && i.high >= 3;
    }
    expect_often(held);
}

/* Of the exponential distribution, whose quantile q is -log(1 - q). */
TEST(quantiles_are_held_as_often_as_said)
{
    static const double quantiles[] = {0.1, 0.5, 0.9};
    static double a[150];
    struct summand__random random = {9};
    for (int i = 0; i < 3; i++) {
        int held = 0;
        for (int t = 0; t < TRIALS; t++) {
            draw(&random, a, 150, 0);
            struct summand__interval of =
                summand__interval_of_quantile(a, 150, quantiles[i], (uint64_t)t);
            assert_true(of.low <= of.middle && of.middle <= of.high);
            held += of.low <= -log(1 - quantiles[i]) && of.high >= -log(1 - quantiles[i]);
        }
        expect_often(held);
    }
    assert_true(isnan(summand__interval_of_quantile(a, 5, 0.1, 1).low));
}

TEST(too_few_say_nothing)
{
    double a[] = {4, 4, 4, 4, 4, 4};
    for (int n = 1; n < SUMMAND__INTERVAL_LEAST; n++) {
        struct summand__interval i = summand__interval_of_median(a, n, 1);
        assert_true(i.middle == 4 && isnan(i.low) && isnan(i.high));
        assert_true(isnan(summand__interval_of_difference(a, 6, a, n, 1).low) || n == 1);
    }
    struct summand__interval i = summand__interval_of_median(a, 6, 1);
    assert_true(i.low == 4 && i.high == 4);
    assert_true(isnan(summand__interval_of_median(a, 0, 1).middle));
}

TEST(quantiles_lie_between)
{
    double values[] = {9, 1, 5, 3};
    assert_true(summand__quantile(values, 4, 0.5) == 4 && values[0] == 1 && values[3] == 9);
    assert_true(summand__quantile(values, 4, 0) == 1 && summand__quantile(values, 4, 1) == 9);
    assert_true(summand__quantile(values, 4, 0.25) == 2.5);
}
