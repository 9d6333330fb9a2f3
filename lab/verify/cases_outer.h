/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls on which algorithms for sums of outer products are proved: small matrices of all odd
 * shapes, pairs on some ranks, on none or on one, layers, results of each kind that are updated or
 * not, gaps between rows; the collectives inside in turn. */
#ifndef SUMMAND_LAB_VERIFY_CASES_OUTER_H
#define SUMMAND_LAB_VERIFY_CASES_OUTER_H

#include "lab/verify/cases.h"

/* As summand__cases. */
bool summand__cases_outer(const struct summand__algorithm *algorithm, int ranks,
                          enum summand__effort effort,
                          bool (*visit)(const struct summand__algorithm *algorithm,
                                        const struct summand__call *call, void *context),
                          void *context);

#endif
