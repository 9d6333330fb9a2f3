/* SPDX-License-Identifier: BSD-3-Clause */
#include "compute/product.h"

const struct summand__product_kernel *const summand__product_kernels[] = {
    &summand__product_blas, &summand__product_ordered, NULL};

const struct summand__product_kernel *summand__product_kernel(bool ordered)
{
    int i = 0;
    while (summand__product_kernels[i + 1] && ((ordered && !summand__product_kernels[i]->ordered) ||
                                               !summand__product_kernels[i]->available()))
        i++;
    return summand__product_kernels[i];
}
