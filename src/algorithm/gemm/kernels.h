/* SPDX-License-Identifier: BSD-3-Clause */
/* The computations of matrix products: rows of tables, one for each local kernel, type and pair of
 * transposes. `from` is op(B), `with` op(A), and the rows of the result are the columns of C:
 * arrays are stored by columns. */
#ifndef SUMMAND_ALGORITHM_GEMM_KERNELS_H
#define SUMMAND_ALGORITHM_GEMM_KERNELS_H

#include "kernel/product.h"
#include "schedule/compute.h"

/* A chain of products over the inner dimension, or a result that is updated by such a chain. With
 * the ordered local kernel the order within a computation is that of the chain; with a BLAS it is
 * open. Between computations it is the order of the steps. */
const struct summand__kernel *summand__gemm_kernel(bool blas, enum summand__product_type type,
                                                   bool turned_a, bool turned_b, bool updates);

#endif
