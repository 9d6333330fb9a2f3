/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces of batches that pass through the stages of a pipeline, and the rings of slots for them. */
#pragma once

#include "train/pipeline.h"

/* Samples that pass together: a batch, or a part of one. */
struct train_piece {
    size_t number, first, count;
    size_t update; /* number of its batch */
    size_t group;  /* samples of that batch */
    bool begins, ends;
};

size_t train_pieces_each(const struct train_pipeline *p); /* of a whole batch */
size_t train_pieces_of(const struct train_pipeline *p);   /* of all samples */
struct train_piece train_piece_at(const struct train_pipeline *p, size_t number);

/* Slots of a ring of pieces; `depth` pieces may be in flight. The slots of a batch are contiguous,
 * and in use until its last piece has gone back, because its gradient is one product. */
size_t train_slots_for(const struct train_pipeline *p, size_t depth);
/* Slots for a stage's puts into the windows of the next stage and of the one before. */
size_t train_slots_ahead(const struct train_pipeline *p);
size_t train_slots_behind(const struct train_pipeline *p);

/* The widest row that is put from a stage to another one. */
size_t train_widest_border(const struct train_pipeline *p);

/* Credits that the next use of a slot needs, counted from the beginning of this start. */
int64_t train_credits_for(size_t number, size_t slots, size_t pieces);
