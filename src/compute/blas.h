/* SPDX-License-Identifier: BSD-3-Clause */
/* The BLAS that is available when a product first asks for it.
 *
 * The program's own comes first: if the program is linked with a cblas_dgemm, that is used as it
 * is, with its threads. Otherwise the library that was found when Summand was configured is loaded,
 * for Summand alone. It has one thread unless one of the variables that it reads says otherwise.
 * SUMMAND_BLAS names another library, or none. Nothing is loaded before a product asks for it,
 * except a library that SUMMAND_BLAS names, by summand__blas_fault. */
#pragma once

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
    char name[64];        /* with its version, as it reports itself; else "CBLAS" */
    char core[32];        /* the processor that it assumes; "" if it does not tell */
    char path[256];       /* path of its file */
    bool own;             /* the program had loaded it before */
    bool named;           /* SUMMAND_BLAS names it */
    bool fast;            /* optimized; else it is the slow reference, or unknown */
    int (*threads)(void); /* threads of a product; NULL if it does not tell */
};

/* NULL: there is no BLAS. */
const struct summand__blas *summand__blas(void);

/* Why the library that SUMMAND_BLAS names cannot be used: "SUMMAND_BLAS: 'FILE' is no BLAS:
 * REASON"; NULL: it can, or none is named. Products run on Summand's own kernel then. */
const char *summand__blas_fault(void);

/* The reason why the BLAS is slow here, and the remedy, in one sentence; NULL: none known. */
const char *summand__blas_advice(void);
