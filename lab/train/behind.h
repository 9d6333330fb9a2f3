/* SPDX-License-Identifier: BSD-3-Clause */
/* Defines the modes whose weights are behind, as one process: it works on one batch after the
 * other, each with the weights of some batches before. Pipelines of such a mode have the same bits
 * (arithmetic `chain`), so their accuracies need no ranks. */
#pragma once

#include "train/pipeline.h"
#include "train/run.h"

enum { TRAIN_BEHIND_MOST = 2 * TRAIN_STAGES_MOST };

/* Number of batches by which the weights of stage g are behind. */
typedef size_t train_behind_rule(int stages, int g);

/* The rule of `sync`, `stashed`, `2bw`, `twins` (stashed with twins apart) or `last` (stashed with
 * all weights improved in stage 0); else NULL. */
train_behind_rule *train_behind_rule_of(const char *name);

/* Context of the mode. The pipeline is empty after every `stretch` batches of an epoch. */
struct train_behind {
    train_behind_rule *of;
    int stages;
    size_t stretch;
    /* For poad, else NULL: for its forward pass, batch t saw weights of stage g that were behind by
     * seen[g * batches + t] batches. t counts from the first epoch on; `of` is the maximum. The
     * backward pass has the newest weights. */
    const size_t *seen;
    size_t batches;
};

/* Keeps one version of all weights more than the rule needs. */
extern const struct train_mode train_mode_behind;
