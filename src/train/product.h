/* Products of matrices by rows, which is what training takes its time for. */
#ifndef SUMMAND_TRAIN_PRODUCT_H
#define SUMMAND_TRAIN_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>

/* C = alpha op(A) op(B) + beta C; op(A) is m x k, op(B) is k x n. */
struct train_product {
    size_t m, n, k;
    bool transposed_a, transposed_b;
    const float *a, *b;
    float *c;
    size_t lda, ldb, ldc; /* elements between rows */
    float alpha, beta;    /* other than 1 and 0 only where A is transposed and B is not */
};

struct train_arithmetic {
    const char *name, *description;
    bool same_bits; /* an element depends on its row of op(A) and its column of op(B) alone */
    void (*multiply)(const struct train_product *product, float *scratch);
};

/* Floats of scratch that products with m, n, k up to these take. */
size_t train_product_scratch(size_t m, size_t n);

/* `chain`: each element is a chain of fused multiply-adds over k (kernel/outer.h), the same bits
 * whatever m and n, on every instruction set. `blas`, where there was one when this was built: of
 * the CBLAS, whose bits may depend on m and n. Ended by NULL. */
extern const struct train_arithmetic *const train_arithmetics[];
const struct train_arithmetic *train_arithmetic_find(const char *name);

#endif
