/* SPDX-License-Identifier: BSD-3-Clause */
/* The prediction of a call: its algorithm's schedules, played against a machine. */
#pragma once

#include "algorithm/algorithm.h"
#include "play/predict.h"

/* Fills in ranks, build and context, and plays. The caller sets the rest of `predict`: model,
 * element, most_bytes, trace, finish. Ignores call->rank. False with predict->fault. */
bool summand__simulate_call(const struct summand__algorithm *algorithm,
                            const struct summand__call *call, struct summand__predict *predict);
