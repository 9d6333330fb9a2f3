/* SPDX-License-Identifier: BSD-3-Clause */
/* Models and checkpoints in one format: numbers little-endian, a checksum of all at the end.
 *
 *     "SUMMANDN"; u32 version 1; u32 layers; 16 bytes each, zeros behind the name: activation of
 *     hidden layers, of the last one, loss; u64 widths[0..layers]; u32 kind: 0 model, 1 checkpoint
 *     weights, layer by layer: widths[l - 1] + 1 rows (the last: biases) of widths[l] floats
 *     a checkpoint has behind them: options, place in the training, tally, history, velocity, best
 *     u64 checksum
 *
 * A new file takes its name only once it is on the disk (base/output.h), so a crash leaves the old
 * one. A file that is too short, longer than it says, damaged or of another format is refused; the
 * error names it and the reason. */
#pragma once

#include "network/network.h"

bool summand__net_model_save(const char *path, const struct summand__net_shape *shape,
                             const struct summand__net_weights *weights,
                             struct summand__net_fault *fault);

/* Reads shape and weights; the rest of a checkpoint is ignored. If false, nothing is to be freed.
 */
bool summand__net_model_load(const char *path, struct summand__net_shape *shape,
                             struct summand__net_weights *weights,
                             struct summand__net_fault *fault);
