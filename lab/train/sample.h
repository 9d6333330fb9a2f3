/* SPDX-License-Identifier: BSD-3-Clause */
/* Pipelines of training as samples (lab/sample/sample.h), to predict and draw: one rank per stage,
 * as many layers of one width, `blocks` batches of `count` samples in `slots` pieces. And stages
 * whose twins are on ranks of their own. */
#pragma once

#include "lab/sample/sample.h"

/* Ended by NULL. */
extern const struct summand__sample *const train_samples[];
const struct summand__sample *train_sample_named(const char *name);
/* Ranks of a stage: 2 if twins are apart, else 1. */
int train_sample_ranks(const struct summand__sample *sample);
