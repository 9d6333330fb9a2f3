/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of matrices on one rank: C = alpha op(A) op(B) + beta C, by one of a table of kernels.
 *
 * Arrays are stored by columns, as in ScaLAPACK and summand_matrix; an array stored by rows is its
 * own transpose by columns. beta = 0: C is not read. alpha = 0 or no inner elements: A and B are
 * not read. C overlaps neither of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum summand__product_type { SUMMAND__PRODUCT_F64, SUMMAND__PRODUCT_F32, SUMMAND__PRODUCT_TYPES };

struct summand__product {
    const void *a, *b;
    void *c;
    size_t rows, columns, inner; /* of op(A), op(B): rows x inner, inner x columns */
    size_t lda, ldb, ldc;        /* elements from one column to the next */
    bool turned_a, turned_b;     /* op is the transpose: A is inner x rows, B columns x inner */
    bool continues;              /* the chain continues from C: alpha and beta count as 1 */
    double alpha, beta;          /* rounded to the type of the elements first */
};

struct summand__product_kernel {
    const char *name, *description;
    /* Element (i, j) is the chain s = fma(A(i, k), B(k, j), s) over k in order. It starts from C if
     * it continues. Otherwise it starts from +0, and then C = fma(beta, C, alpha s). The bits are
     * the same on every processor and for every cut of rows and columns. Kernels that are not
     * ordered promise no bits. */
    bool ordered;
    bool (*available)(void);
    void (*run)(enum summand__product_type type, const struct summand__product *work);
};

/* The preferred kernel comes first; the last one is always available. NULL ends the list. */
extern const struct summand__product_kernel *const summand__product_kernels[];
extern const struct summand__product_kernel summand__product_blas, summand__product_ordered;

/* The first kernel that is available, and ordered if `ordered` is set. */
const struct summand__product_kernel *summand__product_kernel(bool ordered);

static inline size_t summand__product_size(enum summand__product_type type)
{
    return type == SUMMAND__PRODUCT_F64 ? sizeof(double) : sizeof(float);
}
