/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls on which algorithms for matrix products are proved: small matrices over grids of all
 * shapes, equal, disjoint and overlapping in part; with ragged and single blocks, transposes,
 * updates, empty dimensions, panels of any width and rings of slots. */
#ifndef SUMMAND_LAB_VERIFY_CASES_GEMM_H
#define SUMMAND_LAB_VERIFY_CASES_GEMM_H

#include "lab/verify/cases.h"

/* As summand__cases. */
bool summand__cases_gemm(const struct summand__algorithm *algorithm, int ranks,
                         enum summand__effort effort,
                         bool (*visit)(const struct summand__algorithm *algorithm,
                                       const struct summand__call *call, void *context),
                         void *context);

#endif
