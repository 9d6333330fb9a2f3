/* One sum from start to end. Few terms of like size add up to two or three doubles: no accumulator
 * is needed. */
#include "exact/drive.h"

#include "kernel/fpenv.h"

/* a + b = s + *rest, exact (Knuth 1969). */
static double two_sum(double a, double b, double *rest)
{
    const double s = a + b, c = s - a;
    *rest = (a - (s - c)) + (b - c);
    return s;
}

/* a + b rounded to odd: the last bit is set if anything was cut off, so that a later rounding to
 * fewer digits is right (Boldo and Melquiond 2008). */
static double add_to_odd(double a, double b)
{
    double rest;
    const double s = two_sum(a, b, &rest);
    uint64_t bits = summand__bits_f64(s);
    if (rest != 0 && !(bits & 1))
        bits += (rest > 0) == (s > 0) ? 1 : UINT64_MAX;
    return summand__f64_of_bits(bits);
}

/* The correctly rounded sum of what the levels of a brief pass took. The third is below 2^8 units
 * of the second: where high needs more than 53 digits it is far below the last of them. */
static double round_brief(const double sums[SUMMAND__PASS_LEVELS])
{
    double low;
    if (sums[2] == 0)
        return sums[0] + sums[1];
    const double high = two_sum(sums[0], sums[1], &low);
    return high + add_to_odd(low, sums[2]);
}

static double sum_of(enum summand__pass_kind kind, size_t n, const double *x, const double *y)
{
    struct summand__drive drive;
    summand_exact acc;
    double sums[SUMMAND__PASS_LEVELS];
    uint64_t bits = 0;
    if (!n)
        return 0.0;
    const uint32_t saved = summand__fpenv_enter();
    summand__drive_init(&drive, kind, false);
    const bool done = summand__drive_brief(&drive, n, x, y, sums);
    if (done)
        bits = summand__bits_f64(round_brief(sums));
    SUMMAND__SETTLE(bits);
    summand__fpenv_leave(saved);
    if (done)
        return summand__f64_of_bits(bits);
    summand_exact_init(&acc);
    if (kind == SUMMAND__PASS_SUM)
        summand_exact_add(&acc, n, x);
    else
        summand_exact_add_products(&acc, n, x, y);
    return summand_exact_round(&acc);
}

double summand_exact_sum(size_t n, const double *x)
{
    return sum_of(SUMMAND__PASS_SUM, n, x, x);
}

double summand_exact_dot(size_t n, const double *x, const double *y)
{
    return sum_of(SUMMAND__PASS_DOT, n, x, y);
}
