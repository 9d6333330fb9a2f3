/* SPDX-License-Identifier: BSD-3-Clause */
#include "network/product.h"

#include <string.h>

#include "compute/product.h"

static const struct summand__net_arithmetic chain = {"chain", &summand__product_ordered},
                                            blas = {"blas", &summand__product_blas};

const struct summand__net_arithmetic *const summand__net_arithmetics[] = {&chain, &blas, NULL};

const struct summand__net_arithmetic *summand__net_arithmetic_find(const char *name)
{
    for (int i = 0; summand__net_arithmetics[i]; i++)
        if (!strcmp(summand__net_arithmetics[i]->name, name))
            return summand__net_arithmetics[i];
    return NULL;
}

bool summand__net_arithmetic_available(const struct summand__net_arithmetic *arithmetic)
{
    return arithmetic->kernel->available();
}

/* In column order it is the product of the transposes, with operands swapped. */
void summand__net_multiply(const struct summand__net_arithmetic *arithmetic,
                           const struct summand__net_product *product)
{
    const struct summand__product work = {.a = product->b,
                                          .b = product->a,
                                          .c = product->c,
                                          .rows = product->n,
                                          .columns = product->m,
                                          .inner = product->k,
                                          .lda = product->ldb,
                                          .ldb = product->lda,
                                          .ldc = product->ldc,
                                          .turned_a = product->transposed_b,
                                          .turned_b = product->transposed_a,
                                          .alpha = (double)product->alpha,
                                          .beta = (double)product->beta};
    if (product->m && product->n)
        arithmetic->kernel->run(SUMMAND__PRODUCT_F32, &work);
}
