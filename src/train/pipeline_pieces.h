/* What passes through the stages of a pipeline, and the rings of slots that it passes through. */
#ifndef SUMMAND_TRAIN_PIPELINE_PIECES_H
#define SUMMAND_TRAIN_PIPELINE_PIECES_H

#include "train/pipeline.h"

/* Samples that pass together. */
struct train_piece {
    size_t number, first, count;
    size_t update; /* of which it is a part */
    size_t group;  /* samples of that */
    bool begins, ends;
};

size_t train_pieces_each(const struct train_pipeline *p); /* of a whole batch */
size_t train_pieces_of(const struct train_pipeline *p);   /* of all samples */
struct train_piece train_piece_at(const struct train_pipeline *p, size_t number);

/* Slots of a ring of pieces, of which `depth` may be on their way: those of a batch are wanted
 * until its last piece has gone back, as its gradient is one product, and lie one behind the other.
 */
size_t train_slots_for(const struct train_pipeline *p, size_t depth);
/* Of what a stage puts into the next one's window, and into that of the one before. */
size_t train_slots_ahead(const struct train_pipeline *p);
size_t train_slots_behind(const struct train_pipeline *p);

/* The widest row that is put from a stage to another one. */
size_t train_widest_border(const struct train_pipeline *p);

/* Credits of all starts that a slot's next use needs, but for those of earlier starts. */
int64_t train_credits_for(size_t number, size_t slots, size_t pieces);

#endif
