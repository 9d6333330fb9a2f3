/* SPDX-License-Identifier: BSD-3-Clause */
/* Finishing of elements of C: biases, an activation, a caller's function. Only the rank that holds
 * the elements finishes them, so ranks may differ. */
#ifndef SUMMAND_ALGORITHM_GEMM_FINISH_H
#define SUMMAND_ALGORITHM_GEMM_FINISH_H

#include "kernel/product.h"
#include "schedule/compute.h"

/* The one element of the place SUMMAND__GEMM_FINISH. */
struct summand__gemm_finish {
    const void *row_bias, *column_bias; /* of local rows and columns, or NULL */
    int activation;                     /* in summand__activations */
    /* Of a rectangle of this rank's array, from element (row, column) on, or NULL. */
    void (*call)(void *context, void *elements, size_t row, size_t column,
                 const struct summand__rectangle *shape);
    void *context;
    const void *array; /* where C is, and elements from one column to the next */
    size_t lead;
};

/* to = finished to; `from` is the element above. */
extern const struct summand__kernel summand__gemm_finishes[SUMMAND__PRODUCT_TYPES];

#endif
