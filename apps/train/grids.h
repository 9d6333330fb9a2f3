/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of ranks, one per stage, as grids: "2x(1x2),2x2" are three groups of 1 x 2, 1 x 2 and 2 x
 * 2 ranks, in the order of ranks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "network/fault.h"
#include "train/pipeline.h"

struct train_grids {
    int count, ranks;
    struct train_grid {
        int rows, columns, first; /* rank */
    } of[TRAIN_STAGES_MOST];
};

bool train_grids_read(const char *text, struct train_grids *grids,
                      struct summand__net_fault *fault);

/* Indices of one dimension, distributed block-cyclically over `parts` processes. train_dealt: the
 * number that process `part` has; train_dealt_index: its i-th index. */
struct train_deal {
    size_t extent, block;
    int parts, part;
};
size_t train_dealt(const struct train_deal *deal);
size_t train_dealt_index(const struct train_deal *deal, size_t i);
