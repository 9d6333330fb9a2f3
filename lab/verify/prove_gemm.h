/* SPDX-License-Identifier: BSD-3-Clause */
/* Proves schedules of matrix products: every element of C is a chain over the inner dimension in
 * its order, each product once, and is updated as the call says; what lies between the columns of
 * an array is not touched. */
#ifndef SUMMAND_LAB_VERIFY_PROVE_GEMM_H
#define SUMMAND_LAB_VERIFY_PROVE_GEMM_H

#include "lab/verify/prove.h"

/* As summand__prove_schedules. */
bool summand__prove_gemm(const struct summand__algorithm *algorithm,
                         const struct summand__call *call, const int *node,
                         const struct summand__schedule *schedules, struct summand__proof *proof);

#endif
