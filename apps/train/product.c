/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/product.h"

#include <string.h>

#include "kernel/product.h"

static const struct train_arithmetic chain = {"chain", &summand__product_ordered},
                                     blas = {"blas", &summand__product_blas};

const struct train_arithmetic *const train_arithmetics[] = {&chain, &blas, NULL};

const struct train_arithmetic *train_arithmetic_find(const char *name)
{
    for (int i = 0; train_arithmetics[i]; i++)
        if (!strcmp(train_arithmetics[i]->name, name))
            return train_arithmetics[i];
    return NULL;
}

bool train_arithmetic_available(const struct train_arithmetic *arithmetic)
{
    return arithmetic->kernel->available();
}

/* In column order it is the product of the transposes, with operands swapped. */
void train_multiply(const struct train_arithmetic *arithmetic, const struct train_product *product)
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
