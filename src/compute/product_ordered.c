/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel of sums of outer products (compute/outer.h). Its pairs are the inner elements; its
 * rows, which are contiguous, are the columns of C. */
#include "compute/outer.h"
#include "compute/product.h"

static bool available(void)
{
    return true;
}

static void run(enum summand__product_type type, const struct summand__product *work)
{
    const bool none = work->alpha == 0 && !work->continues;
    const struct summand__outer outer = {.a = work->b,
                                         .b = work->a,
                                         .g = work->c,
                                         .pairs = none ? 0 : work->inner,
                                         .columns = work->rows,
                                         .lda = work->ldb,
                                         .ldb = work->lda,
                                         .ldg = work->ldc,
                                         .turned_a = !work->turned_b,
                                         .turned_b = work->turned_a,
                                         .continues = work->continues,
                                         .alpha = none ? 1 : work->alpha,
                                         .beta = work->beta};
    summand__outer_run(type == SUMMAND__PRODUCT_F64 ? SUMMAND__OUTER_F64 : SUMMAND__OUTER_F32,
                       &outer, 0, work->columns);
}

const struct summand__product_kernel summand__product_ordered = {
    .name = "ordered",
    .description = "sums in one order, by Summand's own kernel",
    .ordered = true,
    .available = available,
    .run = run};
