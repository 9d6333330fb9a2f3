/* SPDX-License-Identifier: BSD-3-Clause */
/* Every algorithm of the library. The core declares the table; this file fills it. A program that
 * is about papers has more of them (lab/papers). */
#include "algorithm/algorithm.h"
#include "algorithm/table.h"
#include "matrix/gemm/table.h"
#include "outer/algorithm/table.h"

#ifndef SUMMAND__MORE_ALGORITHMS
#define SUMMAND__MORE_ALGORITHMS(X)
#endif
#define ALGORITHMS(X)                                                                              \
    SUMMAND__CORE_ALGORITHMS(X)                                                                    \
    SUMMAND__OUTER_ALGORITHMS(X) SUMMAND__GEMM_ALGORITHMS(X) SUMMAND__MORE_ALGORITHMS(X)

#define DECLARE(name) extern const struct summand__algorithm summand__##name;
ALGORITHMS(DECLARE)

#define ENTRY(name) &summand__##name,
const struct summand__algorithm *const summand__algorithms[] = {ALGORITHMS(ENTRY) NULL};

_Static_assert(sizeof summand__algorithms / sizeof *summand__algorithms - 1 <=
                   SUMMAND__MOST_ALGORITHMS,
               "describe.c has room for all");
