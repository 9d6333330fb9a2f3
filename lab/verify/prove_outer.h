/* SPDX-License-Identifier: BSD-3-Clause */
/* Proves schedules of sums of outer products: every element of the result is a chain over all
 * pairs in their order, each once; or, where the order is left open, holds each rank's own chain
 * once. What lies between the rows of a result is not touched. */
#ifndef SUMMAND_LAB_VERIFY_PROVE_OUTER_H
#define SUMMAND_LAB_VERIFY_PROVE_OUTER_H

#include "lab/verify/prove.h"

/* As summand__prove_schedules. */
bool summand__prove_outer(const struct summand__algorithm *algorithm,
                          const struct summand__call *call, const int *node,
                          const struct summand__schedule *schedules, struct summand__proof *proof);

#endif
