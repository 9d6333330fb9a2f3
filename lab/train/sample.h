/* SPDX-License-Identifier: BSD-3-Clause */
/* Pipelines of training as samples (lab/sample/sample.h), to predict and draw: one rank per stage,
 * as many layers of one width, `blocks` batches of `count` samples in `slots` pieces. */
#ifndef SUMMAND_LAB_TRAIN_SAMPLE_H
#define SUMMAND_LAB_TRAIN_SAMPLE_H

#include "lab/sample/sample.h"

/* Ended by NULL. */
extern const struct summand__sample *const train_samples[];
const struct summand__sample *train_sample_named(const char *name);

#endif
