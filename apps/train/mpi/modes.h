/* SPDX-License-Identifier: BSD-3-Clause */
/* The modes of training (run.h); some need ranks. */
#pragma once

#include "train/run.h"

/* Replicas of the network on all ranks: each has a part of every batch, and gradients are sums of
 * outer products over the samples of all (summand_outer), in their order. With the arithmetic
 * `chain` the same bits on any number of ranks as on one. Context: an MPI_Comm, on which errors
 * are returned. */
extern const struct train_mode train_mode_data;

/* The network in stages of layers, one rank each, through which batches pass (pipeline.h). In all
 * of them a training is repeatable bit for bit; `sync` has the bits of one process. Context as
 * above. */
extern const struct train_mode train_mode_sync, train_mode_stashed, train_mode_2bw;

/* Stashed, but stage 0 computes all gradients and updates all weights (TRAIN_LAST): batch t sees
 * the weights after t - (stages - 1) updates in every stage. Context as above. */
extern const struct train_mode train_mode_last;

/* The mode of the dissertation: stages and their twins, on two ranks each or on one. Forward
 * weights are the newest that have arrived (poad.h). If twins are apart, it is not repeatable bit
 * for bit unless weights may not be behind at all. Context as above. */
extern const struct train_mode train_mode_poad;

/* The same with twins apart, but the twin of stage 0, where a batch ends, computes all gradients
 * and updates all weights: algorithm 3 as it is printed. Context as above. */
extern const struct train_mode train_mode_poad_last;

/* Stashed, on two ranks a stage: stages and twins as above, and batch t sees the weights after
 * t - (2 (stages - 1 - g) + 1) updates in stage g, forward and back. Repeatable bit for bit.
 * Context as above. */
extern const struct train_mode train_mode_stashed_twins;

/* The same as train_mode_sync, _stashed and _2bw, and the same bits, on groups of ranks
 * (options.groups): products of block-cyclic matrices within a group and across two. */
extern const struct train_mode train_mode_sync_groups, train_mode_stashed_groups,
    train_mode_2bw_groups;

/* The same as train_mode_poad with twins apart, and as train_mode_stashed_twins, which has the same
 * bits, on groups of ranks, each of which has a twin. */
extern const struct train_mode train_mode_poad_groups, train_mode_stashed_twins_groups;

/* Ended by NULL. */
extern const struct train_mode *const train_modes[];
