/* SPDX-License-Identifier: BSD-3-Clause */
/* The BLAS that is at hand when a product is first asked for.
 *
 * The program's own comes first, whichever it is linked with: if it has cblas_dgemm, that is
 * taken as it is, with its threads. Else the library that was found when Summand was configured is
 * loaded, for Summand alone, and has one thread unless one of the variables that it reads says
 * otherwise. SUMMAND_BLAS names another one, or none. Nothing is loaded before it is asked for. */
#ifndef SUMMAND_KERNEL_BLAS_H
#define SUMMAND_KERNEL_BLAS_H

#include <stdbool.h>

enum { SUMMAND__BLAS_ROW_MAJOR = 101, SUMMAND__BLAS_COLUMN_MAJOR = 102 };
enum { SUMMAND__BLAS_PLAIN = 111, SUMMAND__BLAS_TRANSPOSED = 112 };

typedef void summand__dgemm(int order, int trans_a, int trans_b, int m, int n, int k, double alpha,
                            const double *a, int lda, const double *b, int ldb, double beta,
                            double *c, int ldc);
typedef void summand__sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                            const float *a, int lda, const float *b, int ldb, float beta, float *c,
                            int ldc);

struct summand__blas {
    summand__dgemm *dgemm;
    summand__sgemm *sgemm;
    char name[64];        /* with its version, as it says itself; else "CBLAS" */
    char core[32];        /* what it takes the processor for; "" if it does not say */
    char path[256];       /* of its file */
    bool own;             /* the program had it before */
    bool named;           /* by SUMMAND_BLAS */
    bool fast;            /* made for speed; else it is the slow reference, or unknown */
    int (*threads)(void); /* of a product; NULL if it does not say */
};

/* NULL: there is none. */
const struct summand__blas *summand__blas(void);

/* The reason why it is slow here, and the remedy, in a sentence; NULL: none known. */
const char *summand__blas_advice(void);

#endif
