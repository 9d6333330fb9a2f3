/* SPDX-License-Identifier: BSD-3-Clause */
/* The time of a byte from given times, undisturbed and not. */
#include <float.h>
#include <math.h>

#include "model/slope.h"
#include "unit/unit.h"

enum { POINTS = 6 };

static const size_t bytes[POINTS] = {8, 8192, 16384, 32768, 65536, 131072};
static const double latency = 1e-4, byte = 8e-9;

static void true_times(double seconds[POINTS])
{
    for (int i = 0; i < POINTS; i++)
        seconds[i] = latency + byte * (double)bytes[i];
}

static void expect(double got, double least, double most)
{
    if (!(got >= least * byte && got <= most * byte))
        fail_msg("a byte takes %g s, in truth %g", got, byte);
}

TEST(undisturbed)
{
    double seconds[POINTS];
    true_times(seconds);
    for (int count = 2; count <= POINTS; count++)
        expect(summand__byte_slope(bytes, seconds, count, DBL_MAX), 0.999, 1.001);
}

/* Another process has the processor for a while. */
TEST(one_disturbed)
{
    for (int late = 0; late < POINTS; late++)
        for (double more = 1e-5; more < 0.1; more *= 10) {
            double seconds[POINTS];
            true_times(seconds);
            seconds[late] += more;
            expect(summand__byte_slope(bytes, seconds, POINTS, DBL_MAX), 0.999, 1.001);
        }
}

/* From some length on messages wait for their receivers. */
TEST(handshakes)
{
    for (int longer = 1; longer < POINTS; longer++)
        for (double more = 1e-5; more < 0.1; more *= 10) {
            double seconds[POINTS];
            true_times(seconds);
            for (int i = longer; i < POINTS; i++)
                seconds[i] += more;
            expect(summand__byte_slope(bytes, seconds, POINTS, (double)bytes[longer] - 1), 0.999,
                   1.001);
        }
}

/* A byte takes no longer than its message, however late. */
TEST(bounded)
{
    double seconds[POINTS];
    true_times(seconds);
    seconds[1] += 0.02;
    expect(summand__byte_slope(bytes, seconds, 2, DBL_MAX), 0,
           seconds[1] / (double)bytes[1] / byte);
}

TEST(noise)
{
    static const double seconds[POINTS] = {9e-4, 8e-4, 7e-4, 6e-4, 5e-4, 4e-4};
    assert_true(summand__byte_slope(bytes, seconds, POINTS, DBL_MAX) == 0);
    assert_true(summand__byte_slope(bytes, seconds, 1, DBL_MAX) == 0);
    assert_true(summand__byte_slope(bytes, seconds, 0, DBL_MAX) == 0);
}
