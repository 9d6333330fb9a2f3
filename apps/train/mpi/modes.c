/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/mpi/modes.h"

#include <stddef.h>

const struct train_mode *const train_modes[] = {&train_mode_single,
                                                &train_mode_data,
                                                &train_mode_sync,
                                                &train_mode_stashed,
                                                &train_mode_2bw,
                                                &train_mode_poad,
                                                NULL};
