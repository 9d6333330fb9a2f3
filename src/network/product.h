/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of matrices by rows, which take most of the time of a training. They run on a kernel of
 * the table of local products (compute/product.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* C = alpha op(A) op(B) + beta C; op(A) is m x k, op(B) is k x n. */
struct summand__net_product {
    size_t m, n, k;
    bool transposed_a, transposed_b;
    const float *a, *b;
    float *c;
    size_t lda, ldb, ldc; /* elements between rows */
    float alpha, beta;
};

struct summand__product_kernel;

struct summand__net_arithmetic {
    const char *name;
    const struct summand__product_kernel *kernel;
};

/* `chain`: an element is a chain of fused multiply-adds over k; its bits depend neither on m and n
 * nor on the processor. `blas`: a BLAS, if one is found; its bits may depend on m and n. Ended by
 * NULL. */
extern const struct summand__net_arithmetic *const summand__net_arithmetics[];
const struct summand__net_arithmetic *summand__net_arithmetic_find(const char *name);
bool summand__net_arithmetic_available(const struct summand__net_arithmetic *arithmetic);

void summand__net_multiply(const struct summand__net_arithmetic *arithmetic,
                           const struct summand__net_product *product);
