/* SPDX-License-Identifier: BSD-3-Clause */
/* What the measurements of training on one core share. */
#ifndef SUMMAND_BENCH_TRAIN_PARTS_H
#define SUMMAND_BENCH_TRAIN_PARTS_H

#include "train/run.h"

enum { TRAIN_EPOCH = 60000, TRAIN_RUNS = 2 /* samples; arithmetics at most */ };

/* Seconds of a processor that this thread has had, so that others on the machine count less. */
double train_thread_seconds(void);

/* Operations of the products of an epoch of TRAIN_EPOCH samples. */
double train_epoch_flops(const struct train_shape *shape);

/* Opens a run in mode single for each arithmetic that is here; returns how many. Where one cannot
 * be opened, `program` says why and ends with exit status 1. */
int train_open_runs(const char *program, const struct train_shape *shape, struct train_data *data,
                    const struct train_options *options, struct train_run runs[TRAIN_RUNS]);

#endif
