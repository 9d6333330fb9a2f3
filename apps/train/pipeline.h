/* SPDX-License-Identifier: BSD-3-Clause */
/* The pipeline as a schedule: stages of consecutive layers, one rank each. The batches of an epoch
 * pass forward and back through them. Each rank has a list of steps, as in any schedule. So it can
 * be proved (no version of the weights is skipped, or overwritten while a batch needs it; slots and
 * credits suffice; no rank waits for ever), predicted, drawn and run.
 *
 * Stage g works forward on up to stages - g pieces before it works back on the first of them, and
 * then on one each in turn (PipeDream's 1F1B; D. Narayanan et al., 2019). A stage puts its outputs
 * into a ring of slots in the next stage's window, and its errors into a ring of the previous
 * stage. A slot's credit returns when that stage has finished the batch. The pieces of a batch are
 * contiguous, so its gradient is one product once all of them have gone back. A stage has forward
 * and backward weights in one place, and as many versions as its mode needs (perhaps fewer of layer
 * 1, pipeline.c).
 *
 *     mode      pieces of a batch   weights that a piece of batch t sees, forward and back
 *     sync      several             those after all batches before
 *     stashed   one                 those after t - (stages - 1 - g) batches
 *     2bw       at least `stages`   those after all batches before but the last one
 *     last      one                 those after t - (stages - 1) batches
 *
 * sync: the pipeline is empty between batches (GPipe; Y. Huang et al., 2019), and has the bits of
 * one process. 2bw: D. Narayanan et al., 2021.
 * last: a batch ends in stage 0. It computes the gradients of all layers and updates all weights
 * (Schmidtobreick 2017, algorithm 3). The other stages put inputs and errors of their layers into
 * its window. It puts each version into theirs, before it puts the outputs of the first batch that
 * sees it. */
#pragma once

#include "schedule/compute.h"
#include "train/network.h"

enum { TRAIN_STAGES_MOST = 64 };

enum train_delay { TRAIN_SYNC, TRAIN_STASHED, TRAIN_2BW, TRAIN_LAST };

struct train_pipeline {
    const struct summand__net_shape *shape;
    const struct summand__net_arithmetic *arithmetic;
    bool bytes; /* samples are bytes, else floats */
    enum train_delay delay;
    int stages;
    int first[TRAIN_STAGES_MOST + 1]; /* layers of stage g: from first[g] to first[g + 1] - 1 */
    size_t samples;                   /* of the epoch */
    size_t batch;                     /* per update; the last one may have fewer */
    size_t piece;                     /* samples that pass together; stashed: a batch */
    double rate, momentum, decay;
    bool twins; /* for estimates: a stage and its twin on ranks of their own (train/poad.h) */
};

/* The places of a rank's data in its schedule; UINT32_MAX: this stage has no such place. */
struct train_stage_places {
    uint32_t samples;  /* [in] of stage 0: all samples, in the epoch's order */
    uint32_t targets;  /* [in] of the last stage: a row for each, with a 1 for its class */
    uint32_t scores;   /* [out] of the last stage: loss of each, and 1 if it is right */
    uint32_t weights;  /* [inout] of a keeper (train_pipeline_keeper): its layers as
                          summand__net_weights  has them; then room for their other versions */
    uint32_t velocity; /* [inout] with momentum: as the weights of one version */
    uint32_t x;        /* [inout] outputs of layers; the 1 behind each row must be set before */
    size_t versions;   /* of the weights, at most */
    size_t slots;      /* of pieces in x */
};

/* The steps of stage `g`. */
void train_pipeline_build(const struct train_pipeline *pipeline, int g,
                          struct summand__schedule *schedule, struct train_stage_places *places);

/* Sets the 1 behind each row of outputs. */
void train_pipeline_fill(const struct train_pipeline *pipeline, int g, size_t slots, float *x);

/* Cuts the layers so that the largest work of a stage is minimal. A stage's work depends on
 * `delay`. False: there are more stages than layers, or than TRAIN_STAGES_MOST. */
bool train_pipeline_cut(struct train_pipeline *pipeline, int stages);

/* Samples of a piece, by default. In 2bw a batch has as many pieces as stages. In sync it has more,
 * so that the pipeline fills faster, but each piece has enough samples for fast products. */
size_t train_pipeline_piece(enum train_delay delay, int stages, size_t batch);

/* True if batches are never cut. */
bool train_pipeline_whole(enum train_delay delay);

/* The keeper of stage `g`: the stage that updates its weights, and keeps them between starts. And
 * the last layer that the keeper `g` keeps, from its own first layer on. */
int train_pipeline_keeper(const struct train_pipeline *pipeline, int g);
int train_pipeline_last_kept(const struct train_pipeline *pipeline, int g);

/* Batches by which the weights that a batch sees are behind, at most. */
size_t train_pipeline_delay(enum train_delay delay, int stages);
