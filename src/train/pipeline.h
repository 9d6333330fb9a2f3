/* The pipeline as a schedule: stages of consecutive layers, one rank each, and the batches of an
 * epoch that pass forward and back through them. What each rank does is a list of steps as any
 * other, so it is proved (no version of the weights is skipped or overwritten while a batch needs
 * it; slots and credits suffice; nobody waits for ever), predicted, drawn and run.
 *
 * Stage g works forward on up to stages - g pieces before it works back on the first of them, and
 * then on one each in turn (PipeDream's 1F1B; D. Narayanan et al., 2019). What a stage puts out is
 * put into a ring of slots of the next one's window, errors into one of the last one's; a slot's
 * credit comes back when the stage is done with the batch. A batch's pieces lie one behind the
 * other, so its gradient is one product, when all of them have gone back. A stage keeps forward and
 * backward weights in one place, and as many versions as its mode wants
 * (layer 1 perhaps fewer, pipeline.c).
 *
 *     mode      pieces   weights that a piece sees, forward and back
 *     sync      of a batch, cut                  those of all batches before
 *     stashed   one a batch                      batch t: those after t - (stages - 1 - g) batches
 *     2bw       of a batch, cut, stages at least those of all batches but the last one
 *     last      one a batch                      batch t: those after t - (stages - 1) batches
 *
 * In `last` stage 0, the end of a batch's way, makes the gradients of all layers and improves all
 * weights, as the dissertation has it (Schmidtobreick 2017, algorithm 3). The other stages put
 * inputs and errors of their layers into its window, and it puts each version into theirs, before
 * it puts the outputs of the first batch that sees it.
 * In sync the pipeline is empty between batches (GPipe; Y. Huang et al., 2019), and has the bits
 * of one process. 2bw: D. Narayanan et al., 2021. */
#ifndef SUMMAND_TRAIN_PIPELINE_H
#define SUMMAND_TRAIN_PIPELINE_H

#include "schedule/compute.h"
#include "train/network.h"

enum { TRAIN_STAGES_MOST = 64 };

enum train_delay { TRAIN_SYNC, TRAIN_STASHED, TRAIN_2BW, TRAIN_LAST };

struct train_pipeline {
    const struct train_shape *shape;
    const struct train_arithmetic *arithmetic;
    bool bytes; /* samples are bytes, else floats */
    enum train_delay delay;
    int stages;
    int first[TRAIN_STAGES_MOST + 1]; /* layers of stage g: from first[g] to first[g + 1] - 1 */
    size_t samples;                   /* of the epoch */
    size_t batch;                     /* of an update; the last one may have fewer */
    size_t piece;                     /* samples that pass together; stashed: a batch */
    double rate, momentum, decay;
    bool twins; /* for estimates: a stage and its twin on ranks of their own (train/poad.h) */
};

/* Where a rank's data lie among the places of its schedule; what a stage has not is UINT32_MAX. */
struct train_stage_places {
    uint32_t samples;  /* [in] of stage 0: all samples, in the epoch's order */
    uint32_t targets;  /* [in] of the last stage: a row for each, with a 1 for its class */
    uint32_t scores;   /* [out] of the last stage: loss of each, and 1 where it is right */
    uint32_t weights;  /* [inout] of a keeper: its layers as train_weights has them; then room for
                          the other versions that layers have */
    uint32_t velocity; /* [inout] with momentum: as the weights of one version */
    uint32_t x;        /* [inout] what layers put out; 1 behind each row must be there before */
    size_t versions;   /* of the weights, at most */
    size_t slots;      /* of pieces in x */
};

/* The steps of stage `g`. */
void train_pipeline_build(const struct train_pipeline *pipeline, int g,
                          struct summand__schedule *schedule, struct train_stage_places *places);

/* Sets the 1 behind each row of outputs. */
void train_pipeline_fill(const struct train_pipeline *pipeline, int g, size_t slots, float *x);

/* Cuts the layers so that the stage with the most work has the least. False: there are more stages
 * than layers, or than can be. */
bool train_pipeline_cut(struct train_pipeline *pipeline, int stages);

/* Samples that pass together, if nothing else is asked for: in 2bw as many pieces as stages; in
 * sync more, so that less time goes by while the pipeline fills, but not with less samples than
 * products need to be fast. */
size_t train_pipeline_piece(enum train_delay delay, int stages, size_t batch);

/* Whether batches are never cut. */
bool train_pipeline_whole(enum train_delay delay);

/* The stage that improves the weights of stage `g`, and keeps them between starts; the last layer
 * of those that the keeper `g` keeps, from its own first one on. */
int train_pipeline_keeper(const struct train_pipeline *pipeline, int g);
int train_pipeline_last_kept(const struct train_pipeline *pipeline, int g);

/* Batches by which the weights that a batch sees are behind, at most. */
size_t train_pipeline_delay(enum train_delay delay, int stages);

#endif
