/* SPDX-License-Identifier: BSD-3-Clause */
/* The modes whose weights are behind, by their definition: one process that works on a batch after
 * the other, each with the weights of so many batches before it. Pipelines of that mode have the
 * same bits (arithmetic `chain`), so their accuracies can be computed without ranks. */
#ifndef SUMMAND_LAB_TRAIN_BEHIND_H
#define SUMMAND_LAB_TRAIN_BEHIND_H

#include "train/pipeline.h"
#include "train/run.h"

enum { TRAIN_BEHIND_MOST = 2 * TRAIN_STAGES_MOST };

/* By how many batches the weights of stage g are behind. */
typedef size_t train_behind_rule(int stages, int g);

/* Of `sync`, `stashed`, `2bw`, `twins`, which is stashed with twins apart, and `last`, which is
 * stashed with all weights improved in stage 0; else NULL. */
train_behind_rule *train_behind_rule_of(const char *name);

/* Context of the mode. The pipeline is empty behind every `stretch` batches of an epoch. */
struct train_behind {
    train_behind_rule *of;
    int stages;
    size_t stretch;
    /* Of poad, else NULL: by how many batches the weights of stage g were behind that batch t saw
     * forward is seen[g * batches + t], t counted from the first epoch on; `of` is the most. It
     * goes back with none behind. */
    const size_t *seen;
    size_t batches;
};

/* Keeps as many versions of all weights as the rule asks for, and one more. */
extern const struct train_mode train_mode_behind;

#endif
