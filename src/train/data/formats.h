/* SPDX-License-Identifier: BSD-3-Clause */
/* One file per format: each is a row of the table in data.c. */
#ifndef SUMMAND_TRAIN_DATA_FORMATS_H
#define SUMMAND_TRAIN_DATA_FORMATS_H

#include "train/data.h"

extern const struct train_format train_format_idx;
extern const struct train_format train_format_csv;
extern const struct train_format train_format_npy;

#endif
