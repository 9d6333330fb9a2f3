/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/algorithms/verify_training.h"

#include <string.h>

#include "lab/train/prove_order.h"
#include "lab/train/prove_pipeline.h"
#include "lab/train/prove_twins.h"

static bool prove_sync(int stages, size_t *proofs, char *fault, size_t room)
{
    return train_prove_mode(TRAIN_SYNC, stages, proofs, fault, room) &&
           train_prove_orders(TRAIN_SYNC, false, false, stages, proofs, fault, room);
}

static bool prove_stashed(int stages, size_t *proofs, char *fault, size_t room)
{
    return train_prove_mode(TRAIN_STASHED, stages, proofs, fault, room) &&
           train_prove_stashed_twins(stages, proofs, fault, room) &&
           train_prove_orders(TRAIN_STASHED, false, false, stages, proofs, fault, room) &&
           train_prove_orders(TRAIN_STASHED, true, false, stages, proofs, fault, room);
}

static bool prove_2bw(int stages, size_t *proofs, char *fault, size_t room)
{
    return train_prove_mode(TRAIN_2BW, stages, proofs, fault, room) &&
           train_prove_orders(TRAIN_2BW, false, false, stages, proofs, fault, room);
}

static bool prove_poad(int stages, size_t *proofs, char *fault, size_t room)
{
    return train_prove_poad(stages, proofs, fault, room) &&
           train_prove_orders(TRAIN_STASHED, true, true, stages, proofs, fault, room);
}

static bool prove_last(int stages, size_t *proofs, char *fault, size_t room)
{
    return train_prove_mode(TRAIN_LAST, stages, proofs, fault, room);
}

const struct verify_training verify_trainings[] = {
    {"train-sync", prove_sync}, {"train-stashed", prove_stashed}, {"train-2bw", prove_2bw},
    {"train-last", prove_last}, {"train-poad", prove_poad},       {NULL, NULL}};

const struct verify_training *verify_training_named(const char *name)
{
    for (int i = 0; verify_trainings[i].name; i++)
        if (!strcmp(name, verify_trainings[i].name))
            return &verify_trainings[i];
    return NULL;
}
