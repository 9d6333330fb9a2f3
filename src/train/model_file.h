/* Models and checkpoints in one format: numbers little-endian, a check sum of all at the end.
 *
 *     "SUMMANDN"; u32 version 1; u32 layers; 16 bytes each, zeros behind the name: activation of
 *     hidden layers, of the last one, loss; u64 widths[0..layers]; u32 kind: 0 model, 1 checkpoint
 *     weights, layer by layer: widths[l - 1] + 1 rows (the last: biases) of widths[l] floats
 *     a checkpoint has behind them: options, place in the training, tally, history, velocity, best
 *     u64 check sum
 *
 * A file is written under no name and takes its name once it is on the disk (base/output.h): a
 * crash leaves the old one. A file that is short, longer than it says, damaged or none of these is
 * refused with its name and the reason. */
#ifndef SUMMAND_TRAIN_MODEL_FILE_H
#define SUMMAND_TRAIN_MODEL_FILE_H

#include "train/network.h"

bool train_model_save(const char *path, const struct train_shape *shape,
                      const struct train_weights *weights, struct train_fault *fault);

/* Makes shape and weights of the file; a checkpoint's rest is left. Nothing to be freed if false.
 */
bool train_model_load(const char *path, struct train_shape *shape, struct train_weights *weights,
                      struct train_fault *fault);

#endif
