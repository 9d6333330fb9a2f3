/* SPDX-License-Identifier: BSD-3-Clause */
/* The timeline of a prediction: what is hidden behind computations, as of a recorded run. */
#ifndef SUMMAND_LAB_TIMELINE_PREDICTED_H
#define SUMMAND_LAB_TIMELINE_PREDICTED_H

#include "lab/simulate/predict.h"

/* Hidden communication by all communication of what was predicted with `trace`: data are in flight
 * to a rank while at least one wire carries some to it, and hidden while it computes or combines.
 * NaN where nothing is sent, or without memory. */
double summand__predicted_overlap(const struct summand__predict *predict);

#endif
