/* SPDX-License-Identifier: BSD-3-Clause */
/* The prediction of a call: its algorithm's schedules, played against a machine. */
#ifndef SUMMAND_LAB_SIMULATE_SIMULATE_CALL_H
#define SUMMAND_LAB_SIMULATE_SIMULATE_CALL_H

#include "algorithm/algorithm.h"
#include "lab/simulate/predict.h"

/* Fills in who plays what (ranks, build, context) and plays; the rest of `predict` is the caller's:
 * model, element, most_bytes, trace, finish. call->rank is ignored. False with predict->fault. */
bool summand__simulate_call(const struct summand__algorithm *algorithm,
                            const struct summand__call *call, struct summand__predict *predict);

#endif
