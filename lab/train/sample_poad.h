/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "lab/sample/sample.h"

/* The training with twins apart, a layer in each of ranks / 2 stages, `blocks` batches of `count`
 * samples. The number of ranks must be even. */
void train_sample_poad(const struct summand__sample_size *size, int rank,
                       struct summand__schedule *schedule);
/* The same, and the last rank of a batch's way updates all weights. */
void train_sample_poad_last(const struct summand__sample_size *size, int rank,
                            struct summand__schedule *schedule);
