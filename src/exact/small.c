/* One sum from start to end. When all terms fit one filling of the levels, the levels are the sum:
 * no accumulator is needed. */
#include "exact/drive.h"

#include "kernel/fpenv.h"

/* Rounds (high 2^GAP + low) 2^unit, |low| < 2^63. */
static double round_wide(summand__i128 high, int64_t low, int unit)
{
    const int gap = SUMMAND__PASS_GAP;
    const summand__i128 limit = (summand__i128)1 << 84;
    if (high < limit && high > -limit) {
        const summand__i128 all = high * ((summand__i128)1 << gap) + low;
        return summand__f64_of_bits(summand__leading_to_f64(summand__leading_of_i128(all, unit)));
    }
    high += low >> gap;
    const bool rest = low & ((INT64_C(1) << gap) - 1);
    high += rest && high < 0; /* the rest is above 0: towards 0 and sticky */
    struct summand__leading top = summand__leading_of_i128(high, unit + gap);
    top.sticky |= rest;
    return summand__f64_of_bits(summand__leading_to_f64(top));
}

/* True if the result is in *sum. */
static bool in_one_filling(struct summand__drive *drive, size_t n, const double *x, const double *y,
                           double *sum)
{
    int64_t sums[SUMMAND__PASS_LEVELS];
    if (!summand__drive_start_like(drive, n, x, y) || n > drive->pass.room ||
        drive->run(&drive->pass, x, y, n) != n)
        return false;
    drive->kernels->flush(&drive->pass, sums);
    const summand__i128 high = (summand__i128)sums[0] * (INT64_C(1) << SUMMAND__PASS_GAP) + sums[1];
    if (drive->pass.levels == 3)
        *sum = round_wide(high, sums[2], drive->pass.unit[2]);
    else
        *sum = summand__f64_of_bits(
            summand__leading_to_f64(summand__leading_of_i128(high, drive->pass.unit[1])));
    if (*sum == 0 && !high && summand__drive_minus_zero(drive, n, x, y))
        *sum = -0.0;
    return true;
}

static double sum_of(enum summand__pass_kind kind, size_t n, const double *x, const double *y)
{
    enum { SMALL = 2 * SUMMAND__PASS_CHUNK };
    struct summand__drive drive;
    summand_exact acc;
    double sum;
    if (!n)
        return 0.0;
    if (n <= SMALL) {
        const uint32_t saved = summand__fpenv_enter();
        summand__drive_init(&drive, kind, false);
        const bool done = in_one_filling(&drive, n, x, y, &sum);
        summand__fpenv_leave(saved);
        if (done)
            return sum;
    }
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
