/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the measurements of training on one core. */
#pragma once

#include "train/run.h"

enum { TRAIN_EPOCH = 60000, TRAIN_RUNS = 2 /* samples; arithmetics at most */ };

/* Processor seconds of this thread, so that other load on the machine matters less. */
double train_thread_seconds(void);

/* Operations of the products of an epoch of TRAIN_EPOCH samples. */
double train_epoch_flops(const struct summand__net_shape *shape);

/* Opens a run in mode single for each available arithmetic; returns their number. If one cannot be
 * opened, prints the reason for `program` and ends with exit status 1. */
int train_open_runs(const char *program, const struct summand__net_shape *shape,
                    struct train_data *data, const struct train_options *options,
                    struct train_run runs[TRAIN_RUNS]);
