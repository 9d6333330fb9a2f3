/* SPDX-License-Identifier: BSD-3-Clause */
/* What the core measures and warns of without knowing it. */
#include "base/registered.h"

#include "compute/blas.h"
#include "compute/outer.h"

static void run_product(const struct summand__registered_product *product)
{
    const struct summand__outer work = {.a = product->a,
                                        .b = product->b,
                                        .g = product->g,
                                        .pairs = product->pairs,
                                        .columns = product->columns,
                                        .lda = product->rows,
                                        .ldg = product->columns,
                                        .alpha = 1,
                                        .stream = product->stream};
    summand__outer_run(SUMMAND__OUTER_F64, &work, 0, product->rows);
}

const struct summand__registered summand__registered = {
    .product = run_product,
    .setting_fault = summand__blas_fault,
    .instead = "products of matrices run on Summand's own kernel"};
