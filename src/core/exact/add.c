/* SPDX-License-Identifier: BSD-3-Clause */
/* Deposits of many terms. */
#include "exact/chunks.h"

#include "kernel/fpenv.h"

enum { FEW = 4 }; /* terms below which adding one by one is faster */

static void add_many(summand_exact *acc, enum summand__pass_kind kind, bool f32, size_t n,
                     const void *x, const void *y)
{
    struct summand__drive drive;
    summand__drive_init(&drive, kind, f32);
    if (!(acc->flags & SUMMAND__SEEN_OTHER)) {
        const bool minus_zero = summand__drive_minus_zero(&drive, n, x, y);
        acc->flags |= minus_zero ? SUMMAND__SEEN_MINUS_ZERO : SUMMAND__SEEN_OTHER;
    }
    double sums[SUMMAND__PASS_LEVELS];
    if (summand__drive_brief(&drive, n, x, y, sums)) {
        summand__exact_deposit_pair(acc, sums[0], sums[1]);
        if (drive.products)
            summand__exact_deposit_pair(acc, sums[2], sums[3]);
    } else
        summand__chunks_add(&drive, acc, n, x, y);
}

void summand__terms_add(summand_exact *acc, enum summand__pass_kind kind, bool f32, size_t n,
                        const void *x, const void *y)
{
    if (!n || summand__exact_special(acc->flags) == SUMMAND__SEEN_NAN)
        return;
    const struct summand__fpenv_plain saved =
        summand__fpenv_enter(); /* floats convert under it, too */
    if (n <= FEW)
        summand__drive_slowly(kind, f32, acc, n, x, y);
    else
        add_many(acc, kind, f32, n, x, y);
    summand__fpenv_leave(saved);
}

void summand_exact_add(summand_exact *acc, size_t n, const double *x)
{
    summand__terms_add(acc, SUMMAND__PASS_SUM, false, n, x, x);
}

void summand_exact_add_f32(summand_exact *acc, size_t n, const float *x)
{
    summand__terms_add(acc, SUMMAND__PASS_SUM, true, n, x, x);
}

void summand_exact_add_abs(summand_exact *acc, size_t n, const double *x)
{
    summand__terms_add(acc, SUMMAND__PASS_ASUM, false, n, x, x);
}

void summand_exact_add_abs_f32(summand_exact *acc, size_t n, const float *x)
{
    summand__terms_add(acc, SUMMAND__PASS_ASUM, true, n, x, x);
}

void summand_exact_add_squares(summand_exact *acc, size_t n, const double *x)
{
    summand__terms_add(acc, SUMMAND__PASS_SQUARES, false, n, x, x);
}

void summand_exact_add_squares_f32(summand_exact *acc, size_t n, const float *x)
{
    summand__terms_add(acc, SUMMAND__PASS_SQUARES, true, n, x, x);
}

void summand_exact_add_products(summand_exact *acc, size_t n, const double *x, const double *y)
{
    summand__terms_add(acc, SUMMAND__PASS_DOT, false, n, x, y);
}

void summand_exact_add_products_f32(summand_exact *acc, size_t n, const float *x, const float *y)
{
    summand__terms_add(acc, SUMMAND__PASS_DOT, true, n, x, y);
}
