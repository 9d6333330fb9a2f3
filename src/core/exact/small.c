/* SPDX-License-Identifier: BSD-3-Clause */
/* One sum from start to end. Few terms of like size add up to two or four doubles: no accumulator
 * is needed. */
#include "exact/drive.h"

#include <math.h>

#include "exact/odd.h"
#include "kernel/fpenv.h"

/* The correctly rounded sum of the levels of a brief pass; false if too much cancels. */
static bool round_brief(const double sums[SUMMAND__PASS_LEVELS], double *sum)
{
    double low, errors_low, rest;
    const double high = summand__two_sum(sums[0], sums[1], &low);
    const double errors = summand__two_sum(sums[2], sums[3], &errors_low);
    *sum = high;
    if (errors == 0) /* then there are no lower digits, and high is the rounded sum */
        return true;
    /* The digits that are cut off lie below the last digit of high, its half and its quarter. */
    const double middle = summand__two_sum(low, errors, &rest);
    *sum = high + summand__add_to_odd(middle, summand__add_to_odd(rest, errors_low));
    return fabs(errors) <= fabs(high) * 0x1p-5;
}

/* The accumulator is in a function of its own: it is large, and few calls need it. */
static __attribute__((noinline)) double sum_slowly(enum summand__pass_kind kind, size_t n,
                                                   const double *x, const double *y)
{
    summand_exact acc;
    summand_exact_init(&acc);
    if (kind == SUMMAND__PASS_SUM)
        summand_exact_add(&acc, n, x);
    else
        summand_exact_add_products(&acc, n, x, y);
    return summand_exact_round(&acc);
}

static inline double sum_of(enum summand__pass_kind kind, size_t most, size_t n, const double *x,
                            const double *y)
{
    double sums[SUMMAND__PASS_LEVELS] = {0};
    if (!n)
        return 0.0;
    if (n > most)
        return sum_slowly(kind, n, x, y);
    const struct summand__fpenv_plain saved = summand__fpenv_enter();
    double sum = 0;
    const bool done =
        summand__pass_kernels()->brief_f64[kind](x, y, n, sums) && round_brief(sums, &sum);
    uint64_t bits = summand__bits_f64(sum);
    SUMMAND__SETTLE(bits);
    summand__fpenv_leave(saved);
    return done ? summand__f64_of_bits(bits) : sum_slowly(kind, n, x, y);
}

double summand_exact_sum(size_t n, const double *x)
{
    return sum_of(SUMMAND__PASS_SUM, SUMMAND__PASS_BRIEF_MOST, n, x, x);
}

double summand_exact_dot(size_t n, const double *x, const double *y)
{
    return sum_of(SUMMAND__PASS_DOT, SUMMAND__PASS_BRIEF_MOST_PRODUCTS, n, x, y);
}
