/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a training in a file of its model (model_file.h), from which it can continue. */
#pragma once

#include "train/run.h"

bool train_checkpoint_save(const char *path, const struct train_run *run,
                           struct summand__net_fault *fault);

/* Restores the state of a run that was opened with the same shape, options and data as when the
 * file was written. It continues with the same bits. Options but the number of epochs must be the
 * same. */
bool train_checkpoint_load(const char *path, struct train_run *run,
                           struct summand__net_fault *fault);
