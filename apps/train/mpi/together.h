/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by modes on several ranks. The context of their runs is an MPI_Comm. */
#pragma once

#include <mpi.h>

#include "train/run.h"

MPI_Comm train_comm(const struct train_run *run);
/* Of the communicator. */
void train_take_ranks(struct train_run *run);

/* True if a call of the ranks has done `what`; else `fault` gets the error and `apart`. */
bool train_check(int code, const char *what, struct summand__net_fault *fault);

/* Broadcasts layers first..last of `weights` from a rank. Collective. */
bool train_share(struct train_run *run, struct summand__net_weights *weights, int first, int last,
                 int root, struct summand__net_fault *fault);

/* Modes whose weights are behind by as much as times make them (train_lag): a stage has begun a
 * batch with weights so far behind; and, collective, the epoch's of all ranks. */
void train_note_lag(struct train_run *run, size_t behind);
bool train_share_lag(struct train_run *run, struct summand__net_fault *fault);

/* For rows of modes. */
bool train_combine(struct train_run *run, struct train_tally *tally,
                   struct summand__net_fault *fault);
bool train_flags(struct train_run *run, unsigned *flags, struct summand__net_fault *fault);
