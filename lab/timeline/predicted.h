/* SPDX-License-Identifier: BSD-3-Clause */
/* The timeline of a prediction: how much communication computations hide, as for a recorded run. */
#pragma once

#include "play/predict.h"

/* The share of communication that is hidden, for a prediction with `trace`. Data are in flight to a
 * rank while at least one wire carries some to it; they are hidden while it computes or combines.
 * NaN if nothing is sent, or when out of memory. */
double summand__predicted_overlap(const struct summand__predict *predict);
