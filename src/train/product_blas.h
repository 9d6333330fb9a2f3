/* The CBLAS as a row of the table of products, where CMake found one. */
#ifndef SUMMAND_TRAIN_PRODUCT_BLAS_H
#define SUMMAND_TRAIN_PRODUCT_BLAS_H

#ifdef SUMMAND_WITH_CBLAS
extern const struct train_arithmetic train_product_blas;
#define TRAIN_PRODUCT_BLAS &train_product_blas,
#else
#define TRAIN_PRODUCT_BLAS
#endif

#endif
