/* SPDX-License-Identifier: BSD-3-Clause */
/* Records a rank's actions for time lines, in modes whose ranks follow no single schedule. */
#pragma once

#include "compute/mpi/onesided.h"
#include "train/run.h"

struct train_recorder {
    bool wanted; /* for the first stretch of each epoch */
    bool on;     /* now */
    struct summand__recorded *of;
    size_t count, room;
};

/* Called at the beginning of a stretch of samples from `first` on: drops the epoch before, or is
 * off. */
void train_recorder_begin(struct train_recorder *recorder, size_t first);
/* Called at its end: sorts by time. */
void train_recorder_end(struct train_recorder *recorder);
void train_recorder_free(struct train_recorder *recorder);

/* summand__clock, if it is on. */
uint64_t train_recorder_now(const struct train_recorder *recorder);
/* Records an action from `begin` until now; `action` is one of schedule.h. Does nothing if it is
 * off. */
void train_recorder_note(struct train_recorder *recorder, int action, int peer, size_t bytes,
                         uint64_t begin);
/* Without memory it drops all records, and records no more. */
void train_recorder_add(struct train_recorder *recorder, const struct summand__recorded *recorded);

/* As train_mode.recorded. */
size_t train_recorder_read(const struct train_recorder *recorder, size_t first, size_t count,
                           struct summand__recorded *to);
