/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/pipeline_pieces.h"

enum { BATCHES_OF_ERRORS = 2 }; /* in the ring of errors */

static size_t cut(size_t n, size_t by)
{
    return (n + by - 1) / by;
}

size_t train_pieces_each(const struct train_pipeline *p)
{
    return cut(p->batch, p->piece);
}

size_t train_pieces_of(const struct train_pipeline *p)
{
    size_t whole = p->samples / p->batch;
    return whole * train_pieces_each(p) + cut(p->samples % p->batch, p->piece);
}

struct train_piece train_piece_at(const struct train_pipeline *p, size_t number)
{
    size_t each = train_pieces_each(p), within = number % each;
    struct train_piece piece = {.number = number, .update = number / each};
    size_t left = p->samples - piece.update * p->batch;
    piece.group = left < p->batch ? left : p->batch;
    piece.first = piece.update * p->batch + within * p->piece;
    piece.count = piece.group - within * p->piece;
    piece.count = piece.count < p->piece ? piece.count : p->piece;
    piece.begins = within == 0;
    piece.ends = within + 1 == cut(piece.group, p->piece);
    return piece;
}

size_t train_slots_for(const struct train_pipeline *p, size_t depth)
{
    size_t each = train_pieces_each(p);
    return each * cut(depth + each - 1, each);
}

/* In sync a stage may begin a batch while the next one updates its weights by the batch before. */
size_t train_slots_ahead(const struct train_pipeline *p)
{
    return p->delay == TRAIN_SYNC ? 2 * train_pieces_each(p)
                                  : train_slots_for(p, (size_t)p->stages);
}

size_t train_slots_behind(const struct train_pipeline *p)
{
    return BATCHES_OF_ERRORS * train_pieces_each(p);
}

size_t train_widest_border(const struct train_pipeline *p)
{
    size_t widest = 0;
    for (int g = 1; g < p->stages; g++) {
        size_t ld = summand__net_ld(p->shape->widths[p->first[g] - 1] + 1);
        widest = ld > widest ? ld : widest;
    }
    return widest;
}

int64_t train_credits_for(size_t number, size_t slots, size_t pieces)
{
    if (number >= slots)
        return (int64_t)(number - slots + 1);
    if (pieces <= number)
        return 0;
    size_t before = number + (pieces - 1 - number) / slots * slots;
    return (int64_t)before + 1 - (int64_t)pieces;
}

bool train_pipeline_whole(enum train_delay delay)
{
    return delay == TRAIN_STASHED || delay == TRAIN_LAST;
}

int train_pipeline_keeper(const struct train_pipeline *pipeline, int g)
{
    return pipeline->delay == TRAIN_LAST ? 0 : g;
}

int train_pipeline_last_kept(const struct train_pipeline *pipeline, int g)
{
    return pipeline->delay == TRAIN_LAST ? pipeline->shape->layers : pipeline->first[g + 1] - 1;
}

size_t train_pipeline_delay(enum train_delay delay, int stages)
{
    return delay == TRAIN_SYNC ? 0 : delay == TRAIN_2BW ? 1 : (size_t)stages - 1;
}
