/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a training is, in a file of its model (model_file.h): it can go on from there. */
#ifndef SUMMAND_TRAIN_CHECKPOINT_H
#define SUMMAND_TRAIN_CHECKPOINT_H

#include "train/run.h"

bool train_checkpoint_save(const char *path, const struct train_run *run,
                           struct train_fault *fault);

/* Sets a run, opened with the shape, options and data of then, to where the file was written: it
 * goes on with the same bits. Options but the number of epochs must be the same. */
bool train_checkpoint_load(const char *path, struct train_run *run, struct train_fault *fault);

#endif
