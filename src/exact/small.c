/* One sum from start to end. Few terms of like size add up to two or four doubles: no accumulator
 * is needed. */
#include "exact/drive.h"

#include <math.h>

#include "exact/odd.h"
#include "kernel/fpenv.h"

/* The correctly rounded sum of what the levels of a brief pass took; false if too much cancels. */
static bool round_brief(const double sums[SUMMAND__PASS_LEVELS], double *sum)
{
    double low, errors_low, rest;
    const double high = summand__two_sum(sums[0], sums[1], &low);
    const double errors = summand__two_sum(sums[2], sums[3], &errors_low);
    *sum = high;
    if (errors == 0) /* then nothing is below it, and high is the rounded sum */
        return true;
    /* What is cut off below lies beyond the last digit of high and its half and quarter. */
    const double middle = summand__two_sum(low, errors, &rest);
    *sum = high + summand__add_to_odd(middle, summand__add_to_odd(rest, errors_low));
    return fabs(errors) <= fabs(high) * 0x1p-5;
}

static double sum_of(enum summand__pass_kind kind, size_t n, const double *x, const double *y)
{
    struct summand__drive drive;
    summand_exact acc;
    double sums[SUMMAND__PASS_LEVELS];
    uint64_t bits;
    if (!n)
        return 0.0;
    const uint32_t saved = summand__fpenv_enter();
    summand__drive_init(&drive, kind, false);
    double sum = 0;
    const bool done = summand__drive_brief(&drive, n, x, y, sums) && round_brief(sums, &sum);
    bits = summand__bits_f64(sum);
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
